import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { ApprovalRequest, PermissionAnswer } from '../../../src/core/approval.ts'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { openEditor } from '../../faces/acp/open-editor.ts'
import type { Editor } from '../../faces/acp/open-editor.ts'
import type { Face } from '../face.ts'
import { labelCalls } from '../label-calls.ts'
import type { Person } from '../person.ts'

/** A real `tongs acp` with the official client library, a scripted model and a person who answers its permission requests. */
export const acp: Face = {
  name: 'acp',
  hasBatches: true,
  origin: 'model',
  // Diffs stand for the text of an edit.
  hasText: false,
  async open({ top, root, stateDir, env }, { steps, preset }) {
    const script = join(top, 'script.json')
    const turns = steps.flatMap((step) =>
      step.do === 'calls' ? [{ text: 'Now.', calls: labelCalls(step.calls) }, { text: 'Done.' }] : [],
    )
    writeFileSync(script, JSON.stringify({ turns }))
    let person: Person | null = null
    const editor: Editor = await openEditor(
      { root, stateDir, env },
      {
        words: ['--model', `script:${script}`, ...(preset === undefined ? [] : ['--preset', preset])],
        capabilities: { _meta: { tongs: { later: true } } },
        ask: (request) => {
          if (person === null) throw new Error('a question came before any call')
          return person.isLater ? LATER : respond(request, person.answer(questionIn(request)), answerBeside)
        },
      },
    )
    const session = await editor.begin()
    const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
      const answer: unknown = await editor.agent.request(method, { sessionId: session, ...params })
      if (!isJsonObject(answer)) throw new Error(`${method} answered ${JSON.stringify(answer)}`)
      return answer
    }
    const answerBeside: AnswerBeside = (approval, permission) =>
      void ask('_tongs/answer', { approval, ...(permission as unknown as JsonObject) })
    const mustSucceed = async (method: string, params: JsonObject = {}): Promise<void> => {
      const { ok, message } = await ask(method, params)
      if (ok !== true) throw new Error(String(message))
    }
    return {
      async run(calls, how) {
        person = how.person
        const from = editor.updates.length
        const stop = (): void => void editor.agent.notify('session/cancel', { sessionId: session })
        how.cancel?.addEventListener('abort', stop, { once: true })
        await editor.prompt(session, 'go on')
        const results = resultsIn(editor, from)
        return labelCalls(calls).map(({ id }) => results.get(id) ?? null)
      },
      async answer(given) {
        const { approvals } = await ask('_tongs/pending')
        let results: readonly unknown[] = []
        for (const approval of approvals as unknown as readonly ApprovalRequest[]) {
          const permission = given.answer(approval) as unknown as JsonObject
          const { results: rows } = await ask('_tongs/answer', { approval: approval.id, ...permission })
          results = rows as unknown as readonly unknown[]
        }
        // An answer runs what waited and no more: the client decides when the model hears of it.
        await ask('_tongs/continue')
        return results.map((row) => ({ ...(row as ToolResult), content: '' }))
      },
      undo: ({ last, isTurn }) =>
        mustSucceed('_tongs/undo', isTurn === true ? { turn: true } : { last: last ?? 1 }),
      redo: () => mustSucceed('_tongs/redo'),
      close: async () => void (await editor.end()),
    }
  },
}

const LATER: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId: 'later' } }

type AnswerBeside = (approval: string, permission: PermissionAnswer) => void

/** The response of a client; what the protocol has no option for is answered by a method beside it. */
function respond(
  request: RequestPermissionRequest,
  permission: PermissionAnswer,
  answerBeside: AnswerBeside,
): RequestPermissionResponse | Promise<RequestPermissionResponse> {
  const choose = (optionId: string, tongs: object = {}): RequestPermissionResponse => ({
    outcome: { outcome: 'selected', optionId },
    _meta: { tongs },
  })
  switch (permission.answer) {
    case 'once':
      return choose('once', { hunks: permission.hunks })
    case 'deny':
      return choose('deny', { say: permission.say })
    case 'scope': {
      const { scopes } = questionIn(request)
      return choose(`scope-${scopes.findIndex(({ scope }) => scope === permission.scope) + 1}`)
    }
    default:
      answerBeside(questionIn(request).id, permission)
      // The agent takes its question back.
      return new Promise(() => undefined)
  }
}

const asked = new WeakMap<RequestPermissionRequest, ApprovalRequest>()

function questionIn(request: RequestPermissionRequest): ApprovalRequest {
  const { _meta: meta } = request
  const question = asked.get(request) ?? (meta?.['tongs'] as ApprovalRequest)
  asked.set(request, question)
  return question
}

/** Our results by the labels of their calls, as the client was given them since an update. */
function resultsIn({ updates }: Editor, from: number): ReadonlyMap<string, ToolResult> {
  const found = new Map<string, ToolResult>()
  for (const { update } of updates.slice(from)) {
    if (update.sessionUpdate !== 'tool_call_update' || update.rawOutput === undefined) continue
    const { _meta: meta, rawOutput } = update
    const about = meta?.['tongs']
    if (!isJsonObject(about)) continue
    const value = about['ok'] === true ? { result: rawOutput } : { error: rawOutput }
    found.set(String(about['id']), { ...about, ...value, content: '' } as unknown as ToolResult)
  }
  return found
}
