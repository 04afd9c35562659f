import { closeSync, fchmodSync, fchownSync, fstatSync, fsyncSync, writeSync } from 'node:fs'
import { fileStat } from './file-stat.ts'
import { ioFailure } from './io-failure.ts'
import type { NewFile } from './root.ts'

const CLOSED = -1

/** Takes over the descriptor of a file that was just made. */
export function takeNewFile(taken: number, rel: string): NewFile {
  // No number after closing: the system soon gives the old one to another file.
  let fd = taken
  const attempt = <T>(action: string, run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw ioFailure(error, action, rel)
    }
  }
  return {
    write: (bytes) =>
      attempt('write', () => {
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done)
      }),
    sync: () => attempt('make durable', () => fsyncSync(fd)),
    setMode: (mode) => attempt('set the mode of', () => fchmodSync(fd, mode)),
    setOwner: (uid, gid) => attempt('set the owner of', () => fchownSync(fd, uid, gid)),
    stat: () => attempt('look at', () => fileStat(fstatSync(fd))),
    close: () => {
      if (fd === CLOSED) return
      const last = fd
      fd = CLOSED
      attempt('close', () => closeSync(last))
    },
  }
}
