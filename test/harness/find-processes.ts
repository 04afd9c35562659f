import { readdirSync, readFileSync } from 'node:fs'

/** The ids of the processes whose command line has these words. */
export function findProcesses(words: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words)
      )
    } catch {
      return false
    }
  })
}
