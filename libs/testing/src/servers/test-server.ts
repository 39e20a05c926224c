/** A real server of one suite's own, as a process of this machine or, with TEST_INFRA=containers, in a container. */
export interface TestServer {
  readonly url: string;
  /** Of the process that runs now; another one after restart(). */
  readonly pid: number;
  /** Ends it and forgets its data. May be called twice, and after kill(). */
  stop(): Promise<void>;
  /** Resolves when it is gone. Its data stays, for restart(). */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Same data, same port; what still runs is ended in good order first. Resolves when it serves. */
  restart(): Promise<void>;
  /** It stays connected and answers nothing, like a machine that hangs. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export interface TestNatsOptions {
  /** Every acknowledged message is on the disk, as in production; slower. */
  readonly syncAlways?: boolean;
  /** More of nats-server's own configuration, e.g. users and permissions. */
  readonly extraConfig?: string;
}

export type TestNats = TestServer;

export interface TestPostgres extends TestServer {
  /** An empty database of that name; resolves with its URL. */
  createDatabase(name: string): Promise<string>;
}

export const usesContainers = (): boolean => process.env['TEST_INFRA'] === 'containers';
