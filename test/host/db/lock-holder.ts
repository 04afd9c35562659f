import { takeLock } from '../../../src/host/db/session-lock.ts'

/**
 * Takes the lock at its first argument, keeps nothing of it, has the garbage collected and says whether an object that
 * it let go of in the same way was taken; then it lives on until its input ends. Wants to be run with --expose-gc.
 */
const [, , path = ''] = process.argv
const { gc } = globalThis
if (gc === undefined) throw new Error('run this with --expose-gc')

let isControlTaken = false
const controls = new FinalizationRegistry<string>(() => (isControlTaken = true))

async function takeAndForget(): Promise<boolean> {
  controls.register(structuredClone({ path }), '')
  return (await takeLock(path, 0, () => 7)).isHeld
}

const isHeld = await takeAndForget()
for (let round = 0; round < 20; round++) {
  gc()
  // Finalizers run between turns of the loop.
  await new Promise((resolve) => setImmediate(resolve))
}
process.stdout.write(`${JSON.stringify({ isHeld, isControlTaken })}\n`)
process.stdin.resume()
