import { chmodSync } from 'node:fs'
import { systemName } from '../root/exact-name.ts'
import { folderOf, nameOf } from '../root/rel-path.ts'
import type { FileStat, Root } from '../root/root.ts'

/** What its owner may not read in an upper layer, opened for the time of reading: a command may have closed it to everyone. */
export class OpenedNames {
  readonly #upper: Root
  readonly #modes = new Map<string, number>()

  constructor(upper: Root) {
    this.#upper = upper
  }

  /** Lets its owner read a file or folder; false if that was done before, so it does not help. */
  open(path: string, stat: FileStat): boolean {
    if (this.#modes.has(path)) return false
    changeMode(this.#upper, path, stat.mode | (stat.kind === 'dir' ? 0o700 : 0o400))
    this.#modes.set(path, stat.mode)
    return true
  }

  /** The metadata of a name as the command left it. */
  asLeft(path: string, stat: FileStat): FileStat {
    const mode = this.#modes.get(path)
    return mode === undefined ? stat : { ...stat, mode }
  }

  /** Sets the mode that a file or folder has from now on. */
  setMode(path: string, mode: number): void {
    if (this.#modes.has(path)) this.#modes.set(path, mode)
    else changeMode(this.#upper, path, mode)
  }

  /** Gives everything its mode again, the innermost first. */
  restore(): void {
    for (const [path, mode] of [...this.#modes].toReversed())
      if (this.#upper.stat(path) !== null) changeMode(this.#upper, path, mode)
    this.#modes.clear()
  }
}

/** Sets the mode of a file or folder in an upper layer whose command has ended; not for links. */
export function changeMode(upper: Root, path: string, mode: number): void {
  upper.lendFolder(folderOf(path), (folder) => chmodSync(systemName(`${folder}/${nameOf(path)}`), mode))
}
