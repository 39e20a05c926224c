import { type ChildProcess, execFileSync, spawn, type SpawnOptions } from 'node:child_process';

/** How a process ended: with a code, or by a signal. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface GuardedChild {
  readonly pid: number;
  /** What it prints, stdout and stderr together, as it comes. */
  onOutput(listener: (text: string) => void): void;
  /** Resolves when it is gone; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when, besides, all it printed has been heard. */
  readonly silent: Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Asks with `signal`, insists with SIGKILL after the grace period. Resolves when it is gone. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

export type Guard = 'kernel' | 'pipe';

export interface GuardedSpawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  /** The kernel's own guard where the machine has it. */
  readonly guard?: Guard;
}

/**
 * Starts a process that never outlives this one, however this one ends: with `kill -9` no exit handler runs. It gets a
 * process group of its own, because Ctrl-C in a terminal reaches a whole group and would end children out of order.
 */
export async function spawnGuarded(options: GuardedSpawn): Promise<GuardedChild> {
  const guard = options.guard ?? bestGuard();
  const [command, args] =
    guard === 'kernel'
      ? ['setpriv', [...KERNEL_GUARD, ...unlessOrphaned(), options.command, ...options.args]]
      : [options.command, options.args];
  const { uid, gid, cwd, env } = options;
  const account: SpawnOptions = uid === undefined || gid === undefined ? {} : { uid, gid };
  const child = spawn(command, args, { ...account, cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = exitOf(child);
  const silent = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  await started(child);
  const { pid } = child;
  if (pid === undefined) throw new TypeError(`${options.command} started without a pid`);
  if (guard === 'pipe') watchThroughPipe(pid, exited);

  return {
    pid,
    exited,
    silent,
    kill: (signal) => void child.kill(signal),
    onOutput(listener) {
      child.stdout?.setEncoding('utf8').on('data', listener);
      child.stderr?.setEncoding('utf8').on('data', listener);
    },
    async stop(signal, graceMs) {
      child.kill(signal);
      const insist = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(insist);
    },
  };
}

const KERNEL_GUARD = ['--pdeathsig', 'KILL', '--'];

/** The kernel tells only of a death that is still to come: whose parent died before the guard was set never starts. */
const unlessOrphaned = (): string[] => ['sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];

let known: Guard | undefined;
function bestGuard(): Guard {
  known ??= hasKernelGuard() ? 'kernel' : 'pipe';
  return known;
}

function hasKernelGuard(): boolean {
  try {
    execFileSync('setpriv', [...KERNEL_GUARD, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // no util-linux, or one without the option: any failure means the same
  }
}

/** A shell that waits for its stdin to close, which the kernel does when we die, and then ends the child. */
function watchThroughPipe(pid: number, exited: Promise<ChildExit>): void {
  const script = 'cat >/dev/null; kill -KILL "$0" 2>/dev/null';
  const watchdog = spawn('sh', ['-c', script, String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // The child is gone and its pid may soon belong to somebody else: the watchdog must not outlive it.
  void exited.then(() => watchdog.kill('SIGKILL'));
}

const exitOf = (child: ChildProcess): Promise<ChildExit> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

const started = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
