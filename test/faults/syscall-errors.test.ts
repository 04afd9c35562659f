import { expect, it } from 'vitest'
import { makeLane, traceStage } from '../harness/faults/kills.ts'
import type { Lane } from '../harness/faults/kills.ts'
import { inLanes } from '../harness/faults/world/lanes.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { seeded, spread } from '../harness/faults/world/random.ts'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { STAGES } from '../harness/faults/world/stages.ts'
import { errorsOf, failSyscall } from '../harness/faults/syscall-errors.ts'
import type { SyscallError } from '../harness/faults/syscall-errors.ts'

const FILE = 'test/faults/syscall-errors.test.ts'
const isLong = process.env['TONGS_LONG'] === '1'
const TIMEOUT_MS = isLong ? 6 * 3_600_000 : 300_000
/** The stages in which errors are tried on every change, others in every run. */
const TRIED = someOf(STAGES, 3)
/** Errors to try on every change; the long run tries each error at each system call. */
const ERRORS = Number(process.env['FAULTS_ERRORS'] ?? 3 * TRIED.length)
const LANES = roundsOf(1, 2)
/** The part of all errors that is tried, such as 3/100; others are for other runs. */
const [SLICE = 0, SLICES = 1] = (process.env['FAULTS_SLICE'] ?? '0/1').split('/').map(Number)

async function chooseErrors(lane: Lane): Promise<readonly SyscallError[]> {
  const random = seeded(SEED)
  const chosen: SyscallError[] = []
  for (const { name: stage } of TRIED) {
    const all = (await traceStage(lane, stage)).flatMap((call) =>
      errorsOf(call).flatMap((error) =>
        // The runtime of JavaScript itself gives up where none of its writes works any more.
        [false, ...(call.name === 'write' ? [] : [true])].map((isLasting) => ({
          stage,
          by: 'tongs' as const,
          call,
          error,
          isLasting,
        })),
      ),
    )
    chosen.push(
      ...(isLong ? all.filter((_, at) => at % SLICES === SLICE) : spread(all, ERRORS / TRIED.length, random)),
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
      await inLanes(
        lanes,
        errors.filter((error) => isWanted(spell(error))),
        async (lane, error) => {
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
        },
      )
    } finally {
      for (const { world } of lanes) world.remove()
    }
    expect(broken).toEqual([])
    expect(hits).toBeGreaterThan(Math.min(ERRORS, tried) / roundsOf(3, 2))
  },
)

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
