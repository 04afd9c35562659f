import { describe, expect, it } from 'vitest'
import { trustPrompts } from '../../../src/runtime/prompt-files/find-prompt-files.ts'
import { bench } from '../../bench-folder.ts'
import { agreed, call, outcomes, read, scripted, talk, write } from '../talk.ts'

const delegate = (id: string, task: string, role: string, more: object = {}) =>
  call(id, 'delegate', { task, role, ...more })

/** A project whose roles are trusted. */
function project(roles: Readonly<Record<string, string>>) {
  const b = bench({ 'a.txt': 'alpha\n' })
  for (const [name, text] of Object.entries(roles)) b.put(`.tongs/roles/${name}.md`, text)
  trustPrompts({ ...b, witness: '' }, 'roles')
  return b
}

const delegates = { look: [{ calls: [read('c1'), write('c2')] }, { text: 'Seen.' }] }

describe('the role of a delegated conversation', () => {
  it('gives it instructions, and only the tools that it names and its parent has', async () => {
    const b = project({ reader: '---\ntools: read_file, run_command, nope\n---\nOnly look, never write.' })
    const t = await talk([{ calls: [delegate('d1', 'look', 'reader')] }, { text: 'ok' }], {
      ...agreed,
      delegates,
      in: b,
    })
    expect(outcomes(await t.say('go'))).toEqual(['ok', 'unknown_tool', 'ok'])
    expect(t.requests[1]?.tools.map(({ name }) => name)).toEqual(['read_file'])
    expect(t.requests[1]?.system).toContain('Your role:\nOnly look, never write.')
    expect(t.requests[0]?.system).not.toContain('Only look')
  })

  it('cannot be widened by the call', async () => {
    const b = project({ reader: '---\ntools: read_file\n---\nLook.' })
    const tools = ['read_file', 'write_file']
    const t = await talk([{ calls: [delegate('d1', 'look', 'reader', { tools })] }, { text: 'ok' }], {
      ...agreed,
      delegates,
      in: b,
    })
    expect(outcomes(await t.say('go'))).toEqual(['ok', 'unknown_tool', 'ok'])
  })

  it('has to be there', async () => {
    const t = await talk([{ calls: [delegate('d1', 'look', 'absent')] }, { text: 'ok' }], {
      delegates,
      in: project({ reader: 'Look.' }),
    })
    const events = await t.say('go')
    expect(outcomes(events)).toEqual(['bad_args'])
    expect(events.find((event) => event.event === 'result')?.content).toContain('Defined are: reader.')
  })

  it('may name another model, which is opened with the keys of the user', async () => {
    const b = project({ small: '---\nmodel: openai/small\n---\nBe brief.' })
    const opened: string[] = []
    const t = await talk([{ calls: [delegate('d1', 'look', 'small')] }, { text: 'ok' }], {
      in: b,
      config: { 'model.name': 'openai/large' },
      talk: {
        openRoleModel: async (spec) => {
          opened.push(spec)
          return scripted([{ text: 'Small says hello.' }], [], spec)
        },
      },
    })
    const events = await t.say('go')
    expect(opened).toEqual(['openai/small'])
    expect(events.find((event) => event.event === 'result')?.content).toBe('Small says hello.')
    expect(t.conversation.context().model).toBe('script:test')
  })

  // The conversation around it is one of a script, so that no provider is chosen: no other script may play it either.
  it.each(['openai/any', 'script:evil.json', 'script:/tmp/x'])(
    'of a project cannot name a model of another provider, nor a script: %s',
    async (model) => {
      const b = project({ away: `---\nmodel: ${model}\n---\nGo.` })
      const t = await talk([{ calls: [delegate('d1', 'look', 'away')] }, { text: 'ok' }], {
        delegates,
        in: b,
      })
      expect(outcomes(await t.say('go'))).toEqual(['not_allowed'])
    },
  )
})
