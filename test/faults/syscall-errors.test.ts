import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run, tongs } from '../harness/faults/command.ts'
import { makeLane, traceStage } from '../harness/faults/kills.ts'
import type { Lane } from '../harness/faults/kills.ts'
import { inLanes } from '../harness/faults/world/lanes.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { seeded, spread } from '../harness/faults/world/random.ts'
import { describeBroken, isWanted, repeated, SEED } from '../harness/faults/repeat.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { shellWord } from '../harness/shell-word.ts'
import { STAGES } from '../harness/faults/world/stages.ts'
import { makeWorld } from '../harness/faults/world/world.ts'
import { errorsOf, failSyscall } from '../harness/faults/syscall-errors.ts'
import type { SyscallError } from '../harness/faults/syscall-errors.ts'

const FILE = 'test/faults/syscall-errors.test.ts'
const isLong = process.env['TONGS_LONG'] === '1'
/** The harness ends processes that hang, and says which; this only ends the rest, however busy the machine. */
const TIMEOUT_MS = isLong ? 6 * 3_600_000 : 1_200_000
/** The stage and all else of the one error that is to be repeated; null if none is. */
const REPEATED = repeated('syscall')
/** The stages in which errors are tried on every change, others in every run. */
const TRIED =
  REPEATED === null ? someOf(STAGES, 3) : STAGES.filter(({ name }) => REPEATED.startsWith(`${name}|`))
/** Errors to try on every change; the long run tries each error at each system call. */
const ERRORS = Number(process.env['FAULTS_ERRORS'] ?? 3 * TRIED.length)
/**
 * What can only fail once here: the runtime of JavaScript gives up where none of its writes works any more, and the
 * package for system calls waits for itself if it cannot even sync what is no file. The sweep has the rest.
 */
const FATAL: ReadonlySet<string> = new Set(['write', 'fsync'])
const LANES = roundsOf(1, 2)
/** The part of all errors that is tried, such as 3/100; others are for other runs. */
const [SLICE = 0, SLICES = 1] = (process.env['FAULTS_SLICE'] ?? '0/1').split('/').map(Number)

async function chooseErrors(lane: Lane): Promise<readonly SyscallError[]> {
  const random = seeded(SEED)
  const chosen: SyscallError[] = []
  for (const { name: stage } of TRIED) {
    const all = (await traceStage(lane, stage)).flatMap((call) =>
      errorsOf(call).flatMap((error) =>
        [false, ...(FATAL.has(call.name) ? [] : [true])].map((isLasting) => ({
          stage,
          by: 'tongs' as const,
          call,
          error,
          isLasting,
        })),
      ),
    )
    if (REPEATED !== null) chosen.push(...all.filter((error) => isWanted(spell(error))))
    else
      chosen.push(
        ...(isLong
          ? all.filter((_, at) => at % SLICES === SLICE)
          : spread(all, ERRORS / TRIED.length, random)),
      )
  }
  return chosen
}

const spell = ({ stage, call, error, isLasting }: SyscallError): string =>
  `syscall|${stage}|${call.name}#${call.nth}|${error}|${isLasting ? 'lasting' : 'once'}`

it(
  'R-CHK-RT-8: a system call that fails leaves the files whole, is said clearly, and the command works again',
  { timeout: TIMEOUT_MS },
  async () => {
    const lanes: Lane[] = []
    for (let lane = 0; lane < LANES; lane++) lanes.push(await makeLane(TRIED, ['tongs']))
    const broken: string[] = []
    let hits = 0
    let tried = 0
    try {
      const [first] = lanes
      const errors = first === undefined ? [] : await chooseErrors(first)
      tried = errors.length
      await inLanes(lanes, errors, async (lane, error) => {
        const { hit, broken: found } = await failSyscall(lane, error)
        if (hit !== null) hits++
        broken.push(
          ...describeBroken(
            spell(error),
            FILE,
            found.map((law) => `${hit}: ${law}`),
          ),
        )
        return 'more'
      })
    } finally {
      for (const { world } of lanes) world.remove()
    }
    expect(broken).toEqual([])
    expect(hits).toBeGreaterThan(Math.min(ERRORS, tried) / roundsOf(3, 2))
  },
)

it(
  'R-CHK-RT-8: what a call could not remove goes with the next command, as does the folder around it',
  { timeout: TIMEOUT_MS },
  async () => {
    const stage = 'a batch'
    const lane = await makeLane(
      STAGES.filter(({ name }) => name === stage),
      ['tongs'],
    )
    try {
      const call = (await traceStage(lane, stage)).find(({ name }) => name === 'unlink')
      const refused = { stage, by: 'tongs', call: call ?? expect.unreachable(), isLasting: true } as const
      const { hit, broken } = await failSyscall(lane, { ...refused, error: 'EIO' })
      expect(hit).toContain('/.tongs-')
      expect(broken).toEqual([])
    } finally {
      lane.world.remove()
    }
  },
)

it('R-CHK-RT-8: a command ends although the disk behind its output refuses to sync', async () => {
  const world = makeWorld()
  try {
    const { argv, env } = tongs(world, ['call', 'write_file', '{"path":"a.txt","content":"a"}', '--yes'])
    const [out, err] = [join(world.top, 'out'), join(world.top, 'err')]
    const inject = ['-e', 'trace=fsync', '-P', out, '-P', err, '-e', 'inject=fsync:error=EIO']
    const line = ['strace', '-qq', '-f', '-o', '/dev/null', ...inject, '--', ...argv].map(shellWord).join(' ')
    const command = `exec ${line} >${shellWord(out)} 2>${shellWord(err)}`
    const ended = await run({ argv: ['/bin/sh', '-c', command], stdin: '', env })
    expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
    expect(readFileSync(out, 'utf8')).toContain('"ok":true')
    expect(readFileSync(err, 'utf8')).toBe('')
  } finally {
    world.remove()
  }
})

it('finds a writer that changes files in place', { timeout: TIMEOUT_MS }, async () => {
  const lane = await makeLane([NAIVE], ['library'])
  const found: string[] = []
  for (let nth = 1; nth < 30 && found.length === 0; nth++) {
    const call = { name: 'write', nth }
    const { broken } = await failSyscall(lane, {
      stage: NAIVE.name,
      by: 'library',
      call,
      error: 'ENOSPC',
      isLasting: false,
    })
    found.push(...broken.filter((law) => law.startsWith('neither')))
  }
  lane.world.remove()
  expect(found).not.toEqual([])
})
