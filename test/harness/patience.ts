/** How long to wait for what is sure to come. It only ends what hangs: a machine with much else to do is slow. */
export const PATIENCE_MS = Number(process.env['VITEST_PATIENCE_MS'] ?? 240_000)
