import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../../scripts/run-tool.ts'
import { createRuntime } from '../../src/index.ts'
import { cpuOfEnded } from '../felt/process-tree.ts'
import { atMost, cpuClock, median, noMoreThan, round, timeInTurns, withLimit } from '../measure.ts'
import type { Row } from '../measure.ts'
import { trivial } from '../place.ts'

const FEW = 10
const MANY = 10_000
/** A process holds the lock of each of its sessions until it ends, and locks take descriptors. */
const PER_PROCESS = 250
const LISTINGS = 5
const GOAL = 1.2
/** Something that is kept for each session may have a file of its own; more would be noticed in a backup. */
const FILES = 1
/** Only processor time is measured, so the sessions need not wait for a disk while they are made. */
const MEMORY = '/dev/shm'

/** Row 24: working in a state folder of many sessions, against one of few. */
export async function stateFolderRows(): Promise<readonly Row[]> {
  const top = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'tongs-bench-'))
  try {
    const [few, many] = [await fillSessions(top, FEW), await fillSessions(top, MANY)]
    const works = { few: () => openOnce(few), many: () => openOnce(many) }
    const open = await timeInTurns(works, { rounds: 15, runs: 1, warmUp: 3, clock: cpuClock })
    const listed = { few: [] as number[], many: [] as number[] }
    for (let turn = 0; turn <= LISTINGS; turn++)
      for (const [name, folder] of Object.entries({ few, many }) as ['few' | 'many', Folder][])
        listed[name].push(listOnce(folder))
    const least = listLeast(many) - listLeast(few)
    const files = (countFiles(many.stateDir) - countFiles(few.stateDir)) / (MANY - FEW)
    const say = `of ${MANY.toLocaleString('en')} sessions, against one of ${FEW}, CPU`
    return [
      atMost(
        `24 open, one call and close in a state folder ${say}`,
        open.many / 1000,
        open.few / 1000,
        'ms',
        GOAL,
      ),
      // The first listing of each only warms up.
      withLimit(
        atMost(
          `24 \`tongs sessions\` in a state folder ${say}`,
          median(listed.many.slice(1)),
          median(listed.few.slice(1)),
          'ms',
          GOAL,
        ),
        `a pipe gets every session, two rows for each; an empty Node that reads only their names from the database and prints as many rows takes ${round(least)} ms more for ${MANY.toLocaleString('en')} than for ${FEW}`,
      ),
      noMoreThan('24 files in the state folder per session', files, 'files', FILES),
    ]
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** A root and the state folder that knows its sessions. */
export interface Folder {
  readonly root: string
  readonly stateDir: string
}

/** Makes a root whose state folder holds so many sessions of one call each. */
export async function fillSessions(top: string, count: number): Promise<Folder> {
  const folder = { root: join(top, `root-${count}`), stateDir: join(top, `state-${count}`) }
  mkdirSync(folder.root)
  for (let made = 0; made < count; made += PER_PROCESS) {
    const runtime = await createRuntime({ ...folder, tools: [trivial], durability: 'normal' })
    const call = (session: number): Promise<unknown> =>
      runtime.run([{ id: '1', name: 'trivial', args: { a: session, b: 1 } }], { session: `s${session}` })
    const own = Math.min(PER_PROCESS, count - made)
    await Promise.all(Array.from({ length: own }, (_, at) => call(made + at)))
    await runtime.close()
  }
  return folder
}

async function openOnce(folder: Folder): Promise<void> {
  const runtime = await createRuntime({ ...folder, tools: [trivial], durability: 'normal' })
  await runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session: 's1' })
  await runtime.close()
}

/** The milliseconds of processor time that listing the sessions takes. */
function listOnce({ root, stateDir }: Folder): number {
  const before = cpuOfEnded()
  const end = spawnSync(join(TOP, 'bin/tongs'), ['sessions', '--root', root], {
    env: { ...process.env, TONGS_STATE_DIR: stateDir },
    maxBuffer: 1024 ** 3,
  })
  if (end.status !== 0) throw new Error(`tongs sessions: ${String(end.stderr)}`)
  return cpuOfEnded() - before
}

/** Reads nothing of a session but its name and its last row, and prints as much. */
const LEAST = `const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1], { readOnly: true })
const rows = database.prepare('SELECT s.name, (SELECT max(seq) FROM place WHERE session = s.id) AS last FROM session s').all()
require('node:fs').writeSync(1, rows.map(({ name, last }) => name + '  2026-01-01 00:00  (nothing was said)\\n    ' + last + ' messages, 1 calls\\n').join(''))`

/** The milliseconds of processor time that the least listing takes. */
export function listLeast({ stateDir }: Folder): number {
  const times = Array.from({ length: LISTINGS }, () => {
    const before = cpuOfEnded()
    const end = spawnSync(process.execPath, ['-e', LEAST, join(stateDir, 'journal.db')], {
      maxBuffer: 1024 ** 3,
    })
    if (end.status !== 0) throw new Error(`the least listing: ${String(end.stderr)}`)
    return cpuOfEnded() - before
  })
  return median(times)
}

/** How many files lie in a folder, at any depth. */
export function countFiles(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length
}
