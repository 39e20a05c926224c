/** Does the work `count` times, `atOnce` at the same time; each lane begins the next one when its last is done. */
export async function inLanes(atOnce: number, count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
