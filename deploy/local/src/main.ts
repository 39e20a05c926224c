import { PlatformError } from '@millrace/kernel';
import { type Command, parseCommand, type StartCommand } from './arguments.js';
import { loadConfig } from './config.js';
import { type Report, startInBackground } from './detach.js';
import { type Home, openHome } from './home.js';
import { Launcher } from './launcher.js';
import { clearStaleLock, releaseLock, takeLock } from './launcher-lock.js';
import { loadSecrets } from './secrets.js';
import { setUpServers } from './setup.js';
import { stopStack } from './stop.js';
import { summaryOf } from './summary.js';
import { mintToken } from './token.js';

const STALE = 'The last run ended without cleaning up; its data is kept.';
const say = (line: string): void => console.log(line);

try {
  await run(parseCommand(process.argv.slice(2), process.env));
} catch (error) {
  // An error we understand says what to do; any other one is a mistake of ours, and its stack tells where.
  const told = error instanceof PlatformError ? error.message : error;
  console.error(told);
  report({ failed: String(told) });
  process.exitCode = 1;
}

async function run(command: Command): Promise<void> {
  switch (command.command) {
    case 'start':
      return start(command);
    case 'stop':
      return say(await stopStack(openHome(command.home)));
    case 'setup':
      return setUpServers(loadConfig(process.env), say);
    case 'token': {
      const { jwtSecret, tenantId } = loadSecrets(openHome(command.home));
      const { claims } = command;
      return say(
        await mintToken(jwtSecret, {
          tenantId: claims.tenantId ?? tenantId,
          subject: claims.subject ?? 'developer',
          scope: claims.scope ?? '',
        }),
      );
    }
  }
}

async function start({ home: dir, isDetached, isCluster }: StartCommand): Promise<void> {
  const home = openHome(dir);
  if (isDetached) {
    if (clearStaleLock(home)) say(STALE); // looked at here: the log of one that runs must not be begun anew
    return say(await startInBackground(home, import.meta.filename, isCluster));
  }
  await runLauncher(home, isCluster);
}

async function runLauncher(home: Home, isCluster: boolean): Promise<void> {
  const config = loadConfig(process.env, isCluster);
  if (takeLock(home).wasStale) say(STALE);
  const launcher = new Launcher(home, config, say);
  const stop = async () => {
    await launcher.stop();
    releaseLock(home);
  };
  const interrupt = once(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  process.on('disconnect', interrupt); // whoever waits for us in the foreground was interrupted
  try {
    const summary = summaryOf(await launcher.start(), home, process.send !== undefined);
    say(summary);
    process.off('disconnect', interrupt);
    report({ running: summary });
  } catch (error) {
    process.off('disconnect', interrupt);
    if (interrupt.wasCalled()) return; // what was still starting has failed because of it
    await stop();
    throw error;
  }
}

/** Asked again after a while, it is without patience: children end with us, whatever they are at. */
function once(stop: () => Promise<void>): (() => void) & { wasCalled(): boolean } {
  let firstAt: number | undefined;
  const interrupt = () => {
    if (firstAt !== undefined) {
      // Ctrl-C reaches us twice, from the terminal and from npm, which passes on what it got itself.
      if (Date.now() - firstAt > 1_000) process.exit(1);
      return;
    }
    firstAt = Date.now();
    void stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  return Object.assign(interrupt, { wasCalled: () => firstAt !== undefined });
}

/** To the one in the foreground, if there is one; it has no other use for us. */
function report(message: Report): void {
  process.send?.(message, undefined, undefined, () => process.disconnect());
}
