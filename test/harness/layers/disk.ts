import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'

const SIZE_BYTES = 24 * 1024 * 1024
const BLOCK_BYTES = 4096
const PATIENCE_MS = 5_000
const LOOK_AGAIN_MS = 2

/** A disk of its own, which can be put back to what it was: the same files, not copies that look changed. */
export interface Disk {
  /** Remembers everything that is on it now. */
  readonly keep: () => void
  /** Puts back what was kept; false if somebody still uses it: then another disk is there, with the copied folder only. */
  readonly putBack: (copied: string) => boolean
  readonly remove: () => void
}

/** Mounts an empty disk over a folder; null where that is not possible. */
export function mountDisk(folder: string): Disk | null {
  let number = 0
  const image = (): string => `${folder}.${number}`
  let device = mountNew(folder, image())
  if (device === null) return null
  let kept = Buffer.alloc(0)
  const letGo = (): void => {
    // Whoever died in the middle of something may hold it open until this process ends.
    run('umount', ['--lazy', folder])
    run('losetup', ['--detach', device ?? ''])
    fs.rmSync(image(), { force: true })
  }
  const replace = (copied: string): void => {
    const aside = `${folder}.aside`
    run('cp', ['-a', '--', join(folder, copied), aside])
    letGo()
    number++
    device = mountNew(folder, image())
    if (device === null) throw new Error('a second disk cannot be mounted')
    run('cp', ['-a', '--', aside, join(folder, copied)])
    fs.rmSync(aside, { recursive: true })
  }
  return {
    keep: () => {
      if (!isFreed(folder, device ?? '')) throw new Error(`${folder} is in use`)
      kept = fs.readFileSync(image())
      run('mount', [device ?? '', folder])
    },
    putBack: (copied) => {
      if (!isFreed(folder, device ?? '')) {
        replace(copied)
        return false
      }
      writeChanged(image(), kept)
      run('mount', [device ?? '', folder])
      return true
    },
    remove: letGo,
  }
}

/** Mounts a new disk, and says by which device; null where that is not possible. */
function mountNew(folder: string, image: string): string | null {
  let device: string | null = null
  try {
    fs.writeFileSync(image, '')
    fs.truncateSync(image, SIZE_BYTES)
    run('mkfs.ext4', ['-q', '-O', '^has_journal', '-m', '0', image])
    device = run('losetup', ['--find', '--show', image]).trim()
    run('mount', [device, folder])
    return device
  } catch {
    if (device !== null) run('losetup', ['--detach', device])
    fs.rmSync(image, { force: true })
    return null
  }
}

/** Unmounts a disk everywhere: a command that was killed has seen it in a namespace of its own. It stays if it is in use. */
function isFreed(folder: string, device: string): boolean {
  try {
    run('umount', [folder])
  } catch {
    return false
  }
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!isFree(device)) {
    if (performance.now() > giveUpAt) {
      run('mount', [device, folder])
      return false
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
  }
  return true
}

function isFree(device: string): boolean {
  try {
    fs.closeSync(fs.openSync(device, fs.constants.O_RDONLY | fs.constants.O_EXCL))
    return true
  } catch {
    return false
  }
}

function writeChanged(image: string, kept: Buffer): void {
  const now = fs.readFileSync(image)
  const fd = fs.openSync(image, 'r+')
  try {
    for (let at = 0; at < kept.length; at += BLOCK_BYTES) {
      const block = kept.subarray(at, at + BLOCK_BYTES)
      if (!block.equals(now.subarray(at, at + BLOCK_BYTES))) fs.writeSync(fd, block, 0, block.length, at)
    }
  } finally {
    fs.closeSync(fd)
  }
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
}
