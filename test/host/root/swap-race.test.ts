import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { openLinuxRoot } from '../../../src/host/root/linux/linux.ts'
import type { NativeSource } from '../../../src/host/native/load-native.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { BOTH_WAYS } from '../../harness/native.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'
import { isLeak, MANY_FOLDERS, startSwapRace } from '../../harness/swap-race.ts'
import { roundsOf } from '../../harness/long-run.ts'

const isLong = process.env['TONGS_LONG'] === '1'
/** Its name must not begin like our own settings: the tests' setup takes those out of the environment. */
const TRIES = Number(process.env['RACE_TRIES'] ?? (isLong ? 1_000_000 : roundsOf(2_000, 20_000)))
const CONTROL_TRIES = 2_000_000

/** More folders than a root keeps open, so that it has to open them again and again, and some that it can keep. */
const MANY = Array.from({ length: MANY_FOLDERS }, (_, at) => `spot/many-${at}`)
const FILES = [...MANY, 'spot/deep', 'spot/deep', 'hall/room/deep'].flatMap((folder) => [
  `${folder}/f.txt`,
  'file.txt',
])
const FOLDERS = MANY.flatMap((folder) => [folder, 'spot', 'spot/deep', 'hall', 'hall/room', 'hall/room/deep'])

type Operation = (round: number) => unknown

interface Tally {
  tries: number
  leaks: number
  answered: number
  refused: number
}

/** Runs operations in turn until they were tried often enough; a refusal is as good as an answer from inside. */
async function race(operations: readonly Operation[], tries: number): Promise<Tally> {
  const tally: Tally = { tries: 0, leaks: 0, answered: 0, refused: 0 }
  while (tally.tries < tries) {
    const round = tally.tries++
    try {
      const operation = operations[round % operations.length]
      if (isLeak(operation?.(Math.floor(round / operations.length)))) tally.leaks++
      else tally.answered++
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      tally.refused++
    }
    // The root may take a check as good for one synchronous run: each try gets its own.
    await Promise.resolve()
  }
  return tally
}

const pick = (from: readonly string[], round: number): string => from[round % from.length] ?? ''

const readText = (root: Root, rel: string): string => {
  const file = root.openFile(rel)
  try {
    return Buffer.from(file.readAll(100_000)).toString()
  } finally {
    file.close()
  }
}

const readers = (root: Root): readonly Operation[] => {
  const sandbox = createSandbox({
    roots: [root],
    deniedPatterns: [],
    allowAbsolute: true,
    includeDefaultDenies: true,
  })
  return [
    (round) => readText(root, pick(FILES, round)),
    (round) => {
      const file = sandbox.locate(pick(FILES, round), 'read')
      return readText(file.root, file.rel)
    },
    (round) => root.list(pick(FOLDERS, round)).map((entry) => entry.name),
    (round) => root.stat(pick(FILES, round))?.size,
    (round) => {
      const seen: unknown[] = []
      root.walk(pick(['', 'spot', 'hall'], round), (entry) => {
        if (entry.name.startsWith('many-') && entry.name !== `many-${round % MANY_FOLDERS}`) return 'pass'
        const stat = entry.stat()
        seen.push(entry.path, 'size' in stat && entry.kind === 'file' ? stat.size : null)
        return 'enter'
      })
      return seen
    },
    (round) => {
      const where = sandbox.locate(pick(FOLDERS, round), 'list')
      return where.root.list(where.rel).map((entry) => entry.name)
    },
  ]
}

const writers = (root: Root): readonly Operation[] => [
  (round) => {
    const rel = `${pick(FOLDERS, round)}/new-${round}.txt`
    const file = root.createExclusive(rel, 0o600)
    file.write(Buffer.from('from inside'))
    file.close()
    root.unlink(rel)
  },
  (round) => root.rename('hall/own.txt', pick(FILES, round)),
  (round) => {
    const file = root.createExclusive('hall/own.txt', 0o600)
    file.write(Buffer.from(`own ${round}`))
    file.close()
  },
  (round) => root.unlink(`${pick(FOLDERS, round)}/victim.txt`),
  (round) => {
    root.mkdir(`${pick(FOLDERS, round)}/made`, 0o755)
  },
  (round) => root.rmdir(`${pick(FOLDERS, round)}/made`),
]

/** What looks safe: take the real path, see that it lies inside, then open it. */
const naiveRead = (rootPath: string): Operation => {
  const noFollow = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW
  return (round) => {
    try {
      const real = fs.realpathSync.native(`${rootPath}/${pick(FILES, round)}`)
      if (!real.startsWith(`${rootPath}/`)) return null
      const fd = fs.openSync(real, noFollow)
      try {
        return fs.readFileSync(fd, 'utf8')
      } finally {
        fs.closeSync(fd)
      }
    } catch {
      return null
    }
  }
}

const naiveCreate = (rootPath: string): Operation => {
  return (round) => {
    try {
      const folder = fs.realpathSync.native(`${rootPath}/spot/deep`)
      if (folder.startsWith(`${rootPath}/`)) fs.closeSync(fs.openSync(`${folder}/naive-${round}.txt`, 'wx'))
    } catch {
      return null
    }
    return null
  }
}

async function expectNoHarm(attempts: typeof readers | typeof writers, source: NativeSource): Promise<void> {
  const swaps = await startSwapRace(makeScratch(FASTEST))
  const root = openLinuxRoot(swaps.root, source)
  try {
    const tally = await race(attempts(root), TRIES)
    expect(tally).toMatchObject({ tries: TRIES, leaks: 0 })
    expect(swaps.damage()).toEqual([])
    // Both must have happened, or nothing was raced.
    expect(tally.answered).toBeGreaterThan(TRIES / 100)
    expect(tally.refused).toBeGreaterThan(TRIES / 100)
  } finally {
    await swaps.stop()
    root.close()
  }
}

describe('folders and links that are swapped while they are used', () => {
  it.each(BOTH_WAYS)(
    `NFR-SEC-02: reads, lists and walks %s get nothing from outside, in ${TRIES} tries`,
    async (_way, source) => {
      await expectNoHarm(readers, source)
    },
  )

  it.each(BOTH_WAYS)(
    `FR-VAL-06: creating, renaming and removing %s change nothing outside, in ${TRIES} tries`,
    async (_way, source) => {
      await expectNoHarm(writers, source)
    },
  )

  it('catches a naive reader and a naive writer, so it would catch us', async () => {
    const swaps = await startSwapRace(makeScratch(FASTEST))
    try {
      let leaks = 0
      const operations = [naiveRead(swaps.root), naiveCreate(swaps.root)]
      for (
        let tries = 0;
        tries < CONTROL_TRIES && (leaks === 0 || swaps.damage().length === 0);
        tries += 2000
      ) {
        leaks += (await race(operations, 2000)).leaks
      }
      expect(leaks).toBeGreaterThan(0)
      expect(swaps.damage()).not.toEqual([])
    } finally {
      await swaps.stop()
    }
  })
})
