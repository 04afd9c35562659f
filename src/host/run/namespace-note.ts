import { closeSync, readSync } from 'node:fs'
import { openEmptyFile } from '../fs/nameless-file.ts'

/** Where bubblewrap writes down the process whose end is the end of a sandbox. */
export interface NamespaceNote {
  /** For the descriptor `NAMESPACE_FD` of what is started. */
  readonly fd: number
  /** The process; null as long as there is none. */
  readonly initPid: () => number | null
  readonly close: () => void
}

const MAX_BYTES = 4_096

/**
 * Makes a note in a folder that no command can reach. It is a file, not a pipe: bubblewrap writes it before it lets the
 * sandbox begin, and if that failed because its reader was killed, the process in the sandbox would wait forever.
 */
export function openNamespaceNote(folder: string): NamespaceNote {
  const fd = openEmptyFile(folder)
  let isOpen = true
  let pid: number | null = null
  const read = (): number | null => {
    const bytes = Buffer.alloc(MAX_BYTES)
    const text = bytes.toString('latin1', 0, readSync(fd, bytes, 0, MAX_BYTES, 0))
    return Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0) || null
  }
  return {
    fd,
    initPid: () => {
      if (isOpen) pid ??= read()
      return pid
    },
    close: () => {
      if (!isOpen) return
      pid ??= read()
      isOpen = false
      closeSync(fd)
    },
  }
}
