import { freePort } from '@millrace/local-servers';
import { type GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import type { TestServer } from './test-server.js';

export interface ServerImage {
  /** Where the server listens inside its container. */
  readonly port: number;
  urlOf(host: string, port: number): string;
  /** The container, its `port` still to be bound. */
  describe(hostPort: number): GenericContainer;
  /** Rejects until the server answers. */
  answers(url: string): Promise<unknown>;
}

/** A server in a container of its own. Its data lies in the container and goes with it. */
export class ContainerTestServer implements TestServer {
  #paused = false;
  #pid = 0;

  private constructor(
    private readonly image: ServerImage,
    private readonly started: StartedTestContainer,
    readonly url: string,
  ) {}

  static async open(image: ServerImage): Promise<ContainerTestServer> {
    const started = await startOnFixedPort(image);
    const server = new ContainerTestServer(image, started, image.urlOf(started.getHost(), portOf(image, started)));
    try {
      await server.serves();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get pid(): number {
    return this.#pid;
  }

  /** Where another port of the container is reached until it is started again. */
  addressOf(containerPort: number): string {
    return `${this.started.getHost()}:${this.started.getMappedPort(containerPort)}`;
  }

  async stop(): Promise<void> {
    await this.resume();
    await this.started.stop({ remove: true, removeVolumes: true });
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    await this.resume(); // a paused container takes no signal
    const container = await this.container();
    if (!(await container.inspect()).State.Running) return;
    await container.kill({ signal });
    await container.wait();
  }

  async restart(): Promise<void> {
    await this.resume();
    await (await this.container()).restart({ t: 10 });
    await this.serves();
  }

  async pause(): Promise<void> {
    if (this.#paused) return;
    await (await this.container()).pause();
    this.#paused = true;
  }

  async resume(): Promise<void> {
    if (!this.#paused) return;
    await (await this.container()).unpause();
    this.#paused = false;
  }

  private async container() {
    return (await getContainerRuntimeClient()).container.getById(this.started.getId());
  }

  /** Resolves when the server itself answers: the port takes connections before, and its log may come late. */
  private async serves(): Promise<void> {
    const container = await this.container();
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { State } = await container.inspect();
      if (!State.Running)
        throw new Error(`The container ended with code ${State.ExitCode}:\n${await logOf(container)}`);
      try {
        await this.image.answers(this.url);
        this.#pid = State.Pid;
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

/** The port is ours to choose: one the runtime chooses is another one after every start. */
async function startOnFixedPort(image: ServerImage, attempts = 3): Promise<StartedTestContainer> {
  const host = await freePort();
  try {
    const container = image.describe(host).withExposedPorts({ container: image.port, host });
    return await container.withWaitStrategy(Wait.forAll([])).start(); // whether it serves, we ask ourselves
  } catch (error) {
    if (attempts === 1 || !/port is already allocated|address already in use/.test(String(error))) throw error;
    return startOnFixedPort(image, attempts - 1);
  }
}

async function logOf(container: { logs(options: { stdout: true; stderr: true; tail: number }): Promise<Buffer> }) {
  return (await container.logs({ stdout: true, stderr: true, tail: 20 })).toString('utf8');
}

const portOf = (image: ServerImage, started: StartedTestContainer): number => started.getMappedPort(image.port);
