export type GetToken = (asked: { readonly refresh: boolean }) => string | undefined | Promise<string | undefined>;

/**
 * The one place tokens come from. When several requests are refused at once, one of them asks for a new token and the
 * others wait for it.
 */
export class TokenSource {
  #refreshing: Promise<string | undefined> | undefined;

  constructor(private readonly getToken: GetToken) {}

  async current(): Promise<string | undefined> {
    return this.#refreshing ?? this.getToken({ refresh: false });
  }

  /** Another token than the one that was refused; the one there is, when somebody has renewed it meanwhile. */
  async insteadOf(refused: string | undefined): Promise<string | undefined> {
    const current = await this.current();
    if (current !== refused) return current;
    this.#refreshing ??= Promise.resolve(this.getToken({ refresh: true })).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }
}
