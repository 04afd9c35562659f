import * as fs from 'node:fs'
import { join } from 'node:path'
import { COUNTING, dying, run, tongs } from '../command.ts'
import type { Command } from '../command.ts'
import { inLanes } from '../world/lanes.ts'
import { seeded } from '../world/random.ts'
import { describeBroken, repeated } from '../repeat.ts'
import { checkTalk } from './talk-laws.ts'
import type { Choice } from './talk-laws.ts'
import { makeWorld } from '../world/world.ts'
import type { World } from '../world/world.ts'

/** Which process of a conversation is killed: the first one, the one that recovers, or the one that goes on. */
const STAGES = ['run', 'recover', 'continue'] as const

/** A kill: of which process, and at which of its steps, or so long after it has begun to run a command. */
export interface TalkKill {
  readonly stage: (typeof STAGES)[number]
  readonly at:
    | { readonly is: 'step'; readonly number: number }
    | { readonly is: 'command'; readonly ms: number }
  readonly choice: Choice
}

/** What many kills came to. */
export interface TalkMassacre {
  readonly kills: number
  readonly byStage: Readonly<Record<string, number>>
  readonly broken: readonly string[]
}

/** What a naive product would do after a kill, to see that the laws notice. */
export type Planted = 'runs again' | null

interface Lane {
  readonly world: World
  readonly steps: Readonly<Record<TalkKill['stage'], number>>
}

const FIXTURE = { run: 'fresh', recover: 'interrupted', continue: 'recovered' } as const
const LANES = 2
/** A second lane takes as long to make as several kills. */
const WORTH_A_LANE = 20
const COMMAND_MS = 120
const ENOUGH_BROKEN = 10

const mark = (id: string) => ({
  id,
  name: 'run_command',
  args: { command: `echo ${id} >> marks.txt; sleep 0.1` },
})
const write = (id: string, path: string) => ({ id, name: 'write_file', args: { path, content: `${id}\n` } })

/** Talks, reads, writes and runs commands over several messages. */
export const SCRIPT = {
  turns: [
    {
      text: 'I shall look first, and then write.',
      calls: [{ id: 'r1', name: 'read_file', args: { path: 'a.txt' } }, write('w1', 'one.txt'), mark('m1')],
    },
    { text: 'Now the rest.', calls: [mark('m2'), write('w2', 'deep/two.txt')] },
    { text: 'In text:\n```tool-call\n{"id":"g1","name":"glob","args":{"patterns":["**/*.txt"]}}\n```\n' },
    // A script that has ended starts over when somebody says more, and then its calls would be made again.
    ...Array.from({ length: 20 }, () => ({ text: 'Done.' })),
  ],
}

/** Kills processes of conversations at moments that the seed decides, and checks every law after each. */
export async function killTalks(
  count: number,
  seed: number,
  file: string,
  planted: Planted = null,
): Promise<TalkMassacre> {
  const again = repeated('talk')
  const lanes: Lane[] = []
  const byStage: Record<string, number> = {}
  const broken: string[] = []
  let kills = 0
  try {
    for (let index = 0; index < (again === null && count >= WORTH_A_LANE ? LANES : 1); index++)
      lanes.push(await makeLane())
    const jobs = again === null ? chooseKills(seed, lanes[0]?.steps) : [unspell(again)]
    await inLanes(lanes, jobs, async (lane, job) => {
      const killed = await kill(lane, job, planted)
      broken.push(...describeBroken(`talk|${spell(job)}`, file, killed.broken))
      if (killed.isKilled) {
        kills++
        byStage[job.stage] = (byStage[job.stage] ?? 0) + 1
      }
      return kills >= count || broken.length > ENOUGH_BROKEN ? 'enough' : 'more'
    })
    return { kills, byStage, broken }
  } finally {
    for (const { world } of lanes) world.remove()
  }
}

async function makeLane(): Promise<Lane> {
  const world = makeWorld()
  fs.writeFileSync(join(world.root, 'a.txt'), 'alpha\n')
  fs.writeFileSync(join(world.top, 'script.json'), JSON.stringify(SCRIPT))
  world.save(FIXTURE.run)
  const steps = { run: await countSteps(world, 'run'), recover: 0, continue: 0 }
  world.restore(FIXTURE.run)
  // In the middle of the first command: one call is settled, one in doubt, none further.
  await run(commandOf(world, 'run'), (text, end) => {
    if (text.includes('"w1","name":"write_file","ok":true')) setTimeout(end, COMMAND_MS)
  })
  world.save(FIXTURE.recover)
  steps.recover = await countSteps(world, 'recover')
  world.save(FIXTURE.continue)
  steps.continue = await countSteps(world, 'continue')
  return { world, steps }
}

async function countSteps(world: World, stage: TalkKill['stage']): Promise<number> {
  const { stderr, stdout, code } = await run(dying(commandOf(world, stage), COUNTING))
  const counted = /steps (\d+)/.exec(stderr)?.[1]
  if (counted === undefined || code !== 0) throw new Error(`${stage} ended with ${code}: ${stderr}${stdout}`)
  return Number(counted)
}

function commandOf(world: World, stage: TalkKill['stage']): Command {
  if (stage === 'recover') return tongs(world, ['recover', '--resume'])
  const words = stage === 'run' ? ['run', 'go'] : ['run', '--continue']
  const model = `script:${join(world.top, 'script.json')}`
  return tongs(world, [...words, '--model', model, '--yes', '--set', 'tools.run_command.enabled=true'])
}

async function kill({ world }: Lane, { stage, at, choice }: TalkKill, planted: Planted) {
  world.restore(FIXTURE[stage])
  const command = commandOf(world, stage)
  const ended =
    at.is === 'step'
      ? await run(dying(command, at.number))
      : await run(command, (text, end) => {
          if (text.includes('"event":"call"')) setTimeout(end, at.ms)
        })
  const broken = await checkTalk(world, SCRIPT, { printed: ended.stdout, choice, planted })
  const isKilled = ended.signal === 'SIGKILL'
  const isFine = isKilled || ended.code === 0
  return { isKilled, broken: isFine ? broken : [...broken, `it failed with ${ended.code}: ${ended.stderr}`] }
}

function* chooseKills(seed: number, steps: Lane['steps'] | undefined): Generator<TalkKill> {
  const random = seeded(seed)
  for (let turn = 0; ; turn++) {
    // Most of a conversation is the first run.
    const stage = turn % 4 === 2 ? 'recover' : turn % 4 === 3 ? 'continue' : 'run'
    const choice = random() < 0.5 ? 'resume' : 'discard'
    const isTimed = stage === 'run' && turn % 8 === 0
    yield isTimed
      ? { stage, choice, at: { is: 'command', ms: Math.round(random() * 400) } }
      : { stage, choice, at: { is: 'step', number: 1 + Math.floor(random() * (steps?.[stage] ?? 1)) } }
  }
}

function spell({ stage, at, choice }: TalkKill): string {
  return [stage, at.is, at.is === 'step' ? at.number : at.ms, choice].join('|')
}

function unspell(text: string): TalkKill {
  const [stage, is, moment, choice] = text.split('|')
  const at =
    is === 'step'
      ? ({ is, number: Number(moment) } as const)
      : ({ is: 'command', ms: Number(moment) } as const)
  return {
    stage: STAGES.find((one) => one === stage) ?? 'run',
    at,
    choice: choice === 'discard' ? choice : 'resume',
  }
}
