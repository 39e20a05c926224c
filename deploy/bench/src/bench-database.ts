import { appDatabaseUrl, type Database, migrate, openDatabase, readerDatabaseUrl } from '@millrace/adapter-postgres';
import { freePort, type RunningPostgres, startPostgres } from '@millrace/local-servers';

/** A throw-away PostgreSQL with our tables. */
export class BenchDatabase {
  private constructor(
    private readonly server: RunningPostgres,
    private readonly ownerUrl: string,
    /** As the owner, for the raw side and for counting. */
    readonly owner: Database,
  ) {}

  static async open(): Promise<BenchDatabase> {
    const port = await freePort();
    const server = await startPostgres({ port });
    const ownerUrl = `postgresql://postgres@127.0.0.1:${port}/millrace`;
    await migrate({ ownerUrl, appPassword: 'bench', readerPassword: 'bench', createDatabase: true });
    return new BenchDatabase(server, ownerUrl, await openDatabase({ url: ownerUrl, applicationName: 'bench' }));
  }

  get serverPid(): number {
    return this.server.pid;
  }
  get appUrl(): string {
    return appDatabaseUrl(this.ownerUrl, 'bench');
  }
  get readerUrl(): string {
    return readerDatabaseUrl(this.ownerUrl, 'bench');
  }

  /** The last place of the log whose rows are here; 0 before the first. */
  async position(): Promise<number> {
    const [row] = await this.owner.query<{ at: number }>('select stream_sequence::int as at from projection_position');
    return row?.at ?? 0;
  }

  async close(): Promise<void> {
    await this.owner.close();
    await this.server.stop();
  }
}
