import type { Settings } from '../config/keys.ts'
import type { House } from '../pipeline/house.ts'

/** The check of staged contents. Its code is loaded with the first edit: most commands make none. */
export function contentCheckFor(settings: Settings): House['checkContent'] {
  return async (staged) => {
    const { checkStaged } = await import('../tools/checks/check-staged.ts')
    return checkStaged(staged, settings)
  }
}
