/** Another user than root, whom permission bits bind. */
export const NOBODY = 65_534;

/** Root may read and write everything, so for root the work is done as `nobody`; else as whoever we are. */
export async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
