import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { sumUpEdits, takeBackDiscarded } from '../../../src/agent/sessions/interrupted-edits.ts'
import type { RecoveryChoice } from '../../../src/pipeline/after/recover.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { openEditor } from '../../faces/acp/open-editor.ts'
import type { EditorWish } from '../../faces/acp/open-editor.ts'
import { TONGS } from '../../faces/cli/command-line.ts'
import { commandsHere } from '../command.ts'
import type { Likeness } from '../face.ts'
import { appThat } from '../faces/app.ts'
import { mustEndWell } from '../faces/command-line.ts'
import { labelCalls } from '../label-calls.ts'
import type { Place } from '../place.ts'
import type { Scenario, ScenarioCall } from '../scenario.ts'
import type { RunInProcess } from './call-in-process.ts'

/** A process that makes the calls of a scenario. */
export interface Working {
  /** Its session; null if it is the one with a fixed name, or the only one. */
  readonly session: string | null
  /** Whether its calls are over, although it was not killed. */
  readonly hasEnded: () => boolean
  /** Kills it; resolves when it is gone. */
  readonly kill: () => Promise<void>
}

/** A way into Tongs whose process is killed in the middle, and how a person recovers there. */
export interface KilledFace {
  readonly name: string
  readonly like: Likeness
  readonly start: (place: Place, scenario: Scenario, like: Likeness) => Promise<Working>
  readonly recover: (place: Place, choice: RecoveryChoice, session: string | null) => Promise<void>
}

const SESSION = 's'

/** `runtime.run` in a program of its own, and `runtime.recover`. */
export const killedLibrary: KilledFace = {
  name: 'the library',
  like: { hasBatches: true, origin: 'person' },
  start: async (place, scenario, like) => startProgram({ face: 'library', like, place, scenario }, place),
  async recover({ root, stateDir }, choice) {
    const runtime = await createRuntime({ root, stateDir, durability: 'normal' })
    // As every face does: of an unfinished message with several edits, a no takes back those that have finished.
    const [found] = await runtime.recover({ session: SESSION })
    const edits = sumUpEdits(runtime, SESSION, found?.calls ?? [])
    await runtime.recover({ session: SESSION, choice })
    await takeBackDiscarded(runtime, SESSION, choice, edits)
    await runtime.close()
  },
}

export const KILLED_FACES: readonly KilledFace[] = [
  {
    name: 'the command line',
    like: { hasBatches: true, origin: 'person' },
    async start(place, scenario) {
      const file = join(place.top, 'batch.json')
      writeFileSync(file, JSON.stringify(labelCalls(callsOf(scenario))))
      const words = ['batch', file, '--json', '--no-input', '--session', SESSION, ...presetWords(scenario)]
      return startWords(TONGS, [...words, '--root', place.root], place)
    },
    recover: (place, choice) =>
      mustEndWell(commandsHere(place), ['recover', `--${choice}`, '--session', SESSION]),
  },
  {
    name: 'MCP',
    like: { hasBatches: false, origin: 'model' },
    async start({ root, env }, scenario) {
      const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const transport = new StdioClientTransport({
        command: TONGS,
        args: ['mcp', '--root', root, ...presetWords(scenario)],
        env: Object.fromEntries(given),
        cwd: root,
      })
      const client = new Client(
        { name: 'scenarios', version: '1.0.0' },
        { versionNegotiation: { mode: 'auto' } },
      )
      await client.connect(transport)
      const { promise: gone, resolve } = Promise.withResolvers<void>()
      const { pid } = transport
      const making = (async () => {
        for (const { name, args } of callsOf(scenario)) await client.callTool({ name, arguments: args })
      })()
      Object.assign(client, { onclose: resolve })
      return {
        session: null,
        hasEnded: watchEnd(making),
        kill: () => (process.kill(pid ?? 0, 'SIGKILL'), gone),
      }
    },
    // Recovery is not for models: whoever runs the client does so on the command line.
    recover: (place, choice) => mustEndWell(commandsHere(place), ['recover', `--${choice}`]),
  },
  {
    name: 'the app',
    like: { hasBatches: true, origin: 'model' },
    start: async (place, scenario, like) => startProgram({ face: 'app', like, place, scenario }, place),
    async recover(place, choice) {
      const open = await appThat(choice).open(place, { name: '', files: {}, steps: [], rows: [] })
      await open.close()
    },
  },
  {
    name: 'an agent of an editor',
    like: { hasBatches: true, origin: 'model' },
    async start(place, scenario) {
      const editor = await openEditor(place, editorWish(place, scenario))
      const session = await editor.begin()
      const prompted = editor.prompt(session, 'go on')
      return { session, hasEnded: watchEnd(prompted), kill: async () => void (await editor.end('SIGKILL')) }
    },
    async recover(place, choice, session) {
      const editor = await openEditor(place, editorWish(place, { name: '', files: {}, steps: [], rows: [] }))
      const sessionId = session ?? ''
      await editor.agent.request('session/load', { sessionId, cwd: place.root, mcpServers: [] })
      await editor.agent.request('_tongs/recover', { sessionId, choice })
      await editor.end()
    },
  },
]

export function callsOf({ steps }: Scenario): readonly ScenarioCall[] {
  return steps.flatMap((step) => (step.do === 'calls' ? step.calls : []))
}

function presetWords({ preset }: Scenario): readonly string[] {
  return preset === undefined ? [] : ['--preset', preset]
}

function editorWish({ top }: Place, scenario: Scenario): EditorWish {
  const script = join(top, 'script.json')
  const made = callsOf(scenario)
  const turns = made.length === 0 ? [] : [{ text: 'Now.', calls: labelCalls(made) }]
  writeFileSync(script, JSON.stringify({ turns }))
  return { words: ['--model', `script:${script}`, ...presetWords(scenario)] }
}

function startProgram(run: RunInProcess, place: Place): Working {
  const { top, root, stateDir } = run.place
  const given = JSON.stringify({ ...run, place: { top, root, stateDir } } satisfies RunInProcess)
  return startWords(process.execPath, [join(import.meta.dirname, 'call-in-process.ts'), given], place)
}

function startWords(program: string, words: readonly string[], { root, env }: Place): Working {
  const child = spawn(program, words, {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { session: null, hasEnded: watchEnd(gone), kill: () => (child.kill('SIGKILL'), gone) }
}

function watchEnd(work: Promise<unknown>): () => boolean {
  let isOver = false
  const note = (): void => void (isOver = true)
  work.then(note, note)
  return () => isOver
}
