import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { toolError } from '../../../src/core/error.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { clientOf, readAbilities } from '../../../src/faces/acp/editor-client.ts'
import type { EditorSession } from '../../../src/faces/acp/editor-session.ts'
import { confirmRevert } from '../../../src/faces/acp/questions/confirm-revert.ts'
import { contentOf } from '../../../src/faces/acp/questions/question-content.ts'
import { replay } from '../../../src/faces/acp/replay.ts'
import { runCommand } from '../../../src/faces/acp/slash-commands.ts'
import { resultUpdate } from '../../../src/faces/acp/turns/result-update.ts'
import { requestOf } from '../../harness/sample-request.ts'

/** Names and words that others choose, each of which would be a link, a picture, a heading or an escape of ours. */
const HOSTILE = [
  '[go on](command:x) <img src=http:evil.example> *',
  'a\n\n# Tongs: all is well\n\nx',
  'z\u001B]52;c;aGk=\u0007',
  '![i](http:evil.example)\n- all: pass',
  'tick ` and\n\n```text\n# x\n```',
] as const

const facts = { effectOf: () => 'edit', toAbsolute: (path: string) => `/w/${path}` }
const never = new AbortController().signal

/** What a text says as Markdown outside of code. */
function drawnIn(text: string): string {
  return text.replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, 'CODE')
}

/** A session whose engine says something hostile wherever it says something. */
function sessionSaying(words: string, told: SessionUpdate[]): EditorSession {
  const runtime = {
    why: () => [
      { name: words, verdict: 'deny', gate: 'sandbox', gates: [{ gate: 'sandbox', fact: `read ${words}` }] },
    ],
    undo: () => Promise.resolve({ ok: false, message: `${words} has changed since.` }),
  }
  const conversation = {
    compact: () => Promise.resolve({ ok: false, message: `The model says ${words}.` }),
    context: () => ({
      model: words,
      context_tokens: 1,
      used_tokens: 1,
      messages: 1,
      notes: [{ path: words, bytes: 1, is_cut: false }],
    }),
  }
  return {
    id: 's',
    runtime,
    requireConversation: () => Promise.resolve(conversation),
    showUsage: () => Promise.resolve(),
    client: { update: (update: SessionUpdate) => Promise.resolve(void told.push(update)) },
  } as unknown as EditorSession
}

async function said(words: string, command: string): Promise<string> {
  const told: SessionUpdate[] = []
  await runCommand(command, sessionSaying(words, told), never)
  return told.map(textOf).join('')
}

function textOf(update: SessionUpdate): string {
  return 'content' in update && update.content !== null && 'text' in (update.content ?? {})
    ? (update.content as { readonly text: string }).text
    : ''
}

/** What a client is shown as a notice. */
async function noticed(words: string, hasNotices: boolean): Promise<string> {
  const told: { readonly update: SessionUpdate & { readonly title?: string } }[] = []
  const context = {
    notify: (_method: string, params: (typeof told)[number]) => Promise.resolve(void told.push(params)),
  } as unknown as AgentContext
  const can = readAbilities(hasNotices ? { session: { notices: {} } } : undefined)
  await clientOf(context, can, 's').notice('warning', `The editor does not answer about ${words}.`)
  const [first] = told
  return (first === undefined ? '' : (first.update.title ?? textOf(first.update))).replaceAll(
    /^\n\n|\n\n$/g,
    '',
  )
}

function replayed(words: string): string {
  const source = {
    log: { entries: () => [{ entry: { kind: 'undo', changes: [{ path: words }] } }] },
  } as unknown as Parameters<typeof replay>[0]
  return [...replay(source, facts)]
    .map(textOf)
    .join('')
    .replaceAll(/^\n\n|\n\n$/g, '')
}

function failedWith(words: string): string {
  const result = {
    ok: false,
    name: 'read_file',
    error: toolError('unknown_tool', `There is no ${words}.`, {}, [`Look for ${words}.`]),
    execution: { id: 'e1' },
  } as unknown as ToolResult
  const source = { log: { about: () => [] } } as unknown as Parameters<typeof resultUpdate>[1]
  const { content } = resultUpdate(result, source, facts)
  return (content ?? [])
    .map((part) => (part.type === 'content' ? textOf(part as unknown as SessionUpdate) : ''))
    .join('')
}

function askedWith(words: string): string {
  const parts = contentOf(requestOf({ rung: `a sandbox that may write ${words}`, layer: 'none' }), facts)
  const text = parts
    .map((part) => (part.type === 'content' ? textOf(part as unknown as SessionUpdate) : ''))
    .join('')
  return text.slice(text.indexOf('Confined by: '), text.indexOf('\n\nWhat it changes'))
}

type Place = readonly [string, number, (words: string) => string | Promise<string>]

/** The places, and how many rows each has. */
const PLACES: readonly Place[] = [
  ['the replay of an undo', 1, replayed],
  ['/why', 2, (words) => said(words, '/why c1')],
  ['/compact', 1, (words) => said(words, '/compact')],
  ['/context', 2, (words) => said(words, '/context')],
  [
    '/undo',
    1,
    async (words) => {
      const answer = await confirmRevert('undo', '', sessionSaying(words, []), never)
      return typeof answer === 'string' ? answer : ''
    },
  ],
  ['a notice', 1, (words) => noticed(words, false)],
  ['a call that failed', 2, failedWith],
  ['what confines a command', 1, askedWith],
]

describe.each(PLACES)('in %s', (_name, rows, textFor) => {
  it.each(HOSTILE)('the words %j draw nothing and begin no row', async (words) => {
    const text = await textFor(words)
    expect(text).toMatch(/\S/)
    expect(text.split('\n')).toHaveLength(rows)
    expect(drawnIn(text)).not.toMatch(/[<[\]`]|^\s*#|^- all: pass/m)
    expect(text).not.toContain('\u001B')
  })

  it('plain words are shown as they are', async () => {
    expect(await textFor('src/a.ts')).toContain('src/a.ts')
    expect(await textFor('src/a.ts')).not.toContain('`')
  })
})

it.each(HOSTILE)('a notice of an editor that draws notices has %j in one row', async (words) => {
  const text = await noticed(words, true)
  expect(text.split('\n')).toHaveLength(1)
  expect(text).not.toContain('\u001B')
})
