import { freePort } from '@millrace/local-servers';
import { randomUUID } from 'node:crypto';
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

const LABEL = 'millrace.test-server';

/** The port is ours to choose: one the runtime chooses is another one after every start. */
async function startOnFixedPort(image: ServerImage, attempts = 3): Promise<StartedTestContainer> {
  const host = await freePort();
  const label = randomUUID();
  try {
    return await image
      .describe(host)
      .withExposedPorts({ container: image.port, host })
      .withLabels({ [LABEL]: label })
      .withWaitStrategy(Wait.forAll([])) // whether it serves, we ask ourselves
      .start();
  } catch (cause) {
    const printed = await removeFailed(label);
    if (attempts > 1 && /port is already allocated|address already in use/.test(String(cause)))
      return startOnFixedPort(image, attempts - 1);
    throw new Error(`The container did not start: ${String(cause)}\n${printed}`, { cause });
  }
}

/** A container that ended at once is not handed out, and stays behind. Resolves with what it printed. */
async function removeFailed(label: string): Promise<string> {
  const container = await (await getContainerRuntimeClient()).container.fetchByLabel(LABEL, label);
  if (container === undefined) return '';
  const printed = await logOf(container);
  await container.remove({ force: true, v: true });
  return printed;
}

async function logOf(container: { logs(options: { stdout: true; stderr: true; tail: number }): Promise<Buffer> }) {
  return (await container.logs({ stdout: true, stderr: true, tail: 20 })).toString('utf8');
}

const portOf = (image: ServerImage, started: StartedTestContainer): number => started.getMappedPort(image.port);
