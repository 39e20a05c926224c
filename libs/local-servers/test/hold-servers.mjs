// Run by orphans.int-spec.ts: starts what its argument names, prints the pids and waits to be killed.
import { registerHooks } from 'node:module';

// From source, like every spec: a relative import of a TypeScript file ends in .js and means the .ts.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^(\.{1,2}\/.*)\.js$/, context.parentURL?.endsWith('.ts') ? '$1.ts' : '$&'), context),
});
const { childrenOf, spawnGuarded, startNats, startPostgres } = await import('../src/index.ts');

const [what] = process.argv.slice(2);
if (what === 'servers') {
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  print([nats.pid, postgres.pid, ...childrenOf(postgres.pid)]);
} else {
  const child = await spawnGuarded({ command: 'sleep', args: ['600'], guard: what });
  print([child.pid]);
}
setInterval(() => {}, 60_000);

function print(pids) {
  process.stdout.write(`${JSON.stringify(pids)}\n`);
}
