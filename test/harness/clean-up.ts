import { afterAll, onTestFinished } from 'vitest'

/**
 * Cleans up when the test is over, or the file if it is for all of its tests. A hook of the module that needs it would
 * be registered for the first file of a process only, because later ones find the module loaded.
 */
export function cleanUpWith(clean: () => Promise<void> | void): void {
  try {
    onTestFinished(clean)
  } catch {
    afterAll(clean)
  }
}
