import { p, Type } from '@mikro-orm/postgresql';

/** A moment as rows spell it: ISO 8601 in UTC with milliseconds, whatever the session's time zone. */
class MomentType extends Type<string, string | Date> {
  override convertToJSValue(value: string | Date): string {
    return value === null ? value : new Date(value).toISOString();
  }
  override getColumnType(): string {
    return 'timestamptz';
  }
}

export const moment = () => p.type(MomentType).$type<string>();

/** `json`, not `jsonb`: it keeps every text as it was sent, and `jsonb` refuses a NUL in one. */
export const json = <T>() => p.json<T>().columnType('json');

export const runKey = () => ({ tenantId: p.text().primary(), runId: p.text().primary() });

export const inProject = () => ({ projectId: p.text().nullable() });

/** Of a row that is an event, or began with one. */
export const eventStamp = () => ({
  ...runKey(),
  ...inProject(),
  position: p.integer(),
  sequence: p.integer().nullable(),
  createdAt: moment(),
});

/** Of a table whose rows are events and nothing else. */
export const eventKey = () => ({ ...eventStamp(), position: p.integer().primary() });

export const speaker = () => ({
  agentId: p.text(),
  node: p.text(),
  taskKey: p.text(),
  iteration: p.integer(),
  attempt: p.integer(),
});

const IS_PROJECTOR = `current_setting('app.projector', true) = 'on'`;

/**
 * Who sees and writes the rows of a table. A session sees the rows of the tenant it names, and none when it names
 * nobody; only the projector's transaction, which says so, writes, and it writes for all tenants.
 */
export const tenantWall = {
  rowLevelSecurity: 'force' as const,
  policies: [
    {
      name: 'tenant_reads',
      command: 'select' as const,
      using: `tenant_id = current_setting('app.current_tenant_id', true)`,
    },
    { name: 'projector_writes', command: 'all' as const, using: IS_PROJECTOR, check: IS_PROJECTOR },
  ],
};

/** For what no tenant is shown. */
export const projectorOnly = {
  rowLevelSecurity: 'force' as const,
  policies: [{ name: 'projector_writes', command: 'all' as const, using: IS_PROJECTOR, check: IS_PROJECTOR }],
};
