import { createRequire } from 'node:module'
import { constants } from 'node:os'

/** Runs a rename after it was looked at; an error that is thrown stands for one of the system. */
type Watch = (target: string, rename: () => number) => number

type Foreign = (...args: unknown[]) => number

interface Koffi {
  load: (library: null) => { readonly func: (declaration: string) => Foreign }
  errno: () => number
}

/** Only this declaration of a system call names two folders. */
const RENAME = /\bint other\b/
const errnoOf: Readonly<Record<string, number | undefined>> = constants.errno

/** Shows every rename that is bound from now on and made by native code, in the words in which Node would be asked for it. */
export function watchNativeRenames(watch: Watch): void {
  const koffi = createRequire(import.meta.url)(`@koromix/koffi-linux-${process.arch}`) as Koffi
  const load = koffi.load.bind(koffi)
  const errno = koffi.errno.bind(koffi)
  let pretended: number | null = null
  koffi.errno = () => pretended ?? errno()
  koffi.load = (library) => {
    const loaded = load(library)
    return {
      func: (declaration) => {
        const bound = loaded.func(declaration)
        if (!RENAME.test(declaration)) return bound
        return (...args) => {
          const [, one, from, other, to] = args
          const pathOf = (folder: unknown, name: unknown): string => `/proc/self/fd/${folder}/${name}`
          pretended = null
          try {
            return watch(`${pathOf(one, from)} ${pathOf(other, to)}`, () => bound(...args))
          } catch (error) {
            const code = error instanceof Error && 'code' in error ? errnoOf[String(error.code)] : undefined
            if (code === undefined) throw error
            pretended = code
            return -1
          }
        }
      },
    }
  }
}
