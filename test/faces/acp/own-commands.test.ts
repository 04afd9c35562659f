import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { listMessages } from '../../../src/agent/sessions/fork-session.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Shop } from '../cli/command-line.ts'
import { makeScripted, openEditor } from './open-editor.ts'

/** Writes a command of the user. */
function putOwn({ env }: Shop, name: string, text: string): void {
  const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'tongs/commands')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), text)
}

/** Writes a command of the project. */
function putShared({ root }: Shop, name: string, text: string): void {
  mkdirSync(join(root, '.tongs/commands'), { recursive: true })
  writeFileSync(join(root, '.tongs/commands', `${name}.md`), text)
}

const offers =
  (name: string) =>
  (update: SessionUpdate): boolean =>
    update.sessionUpdate === 'available_commands_update' &&
    update.availableCommands.some((command) => command.name === name)

/** The last words that the model was told by the person. */
async function toldIn({ root, stateDir }: Shop, session: string): Promise<string> {
  const runtime = await createRuntime({ root, stateDir })
  const messages = listMessages(runtime.peek(session))
  await runtime.close()
  return messages.findLast(({ role }) => role === 'user')?.text ?? ''
}

describe('commands that are files', () => {
  it('are offered with their hints, and filled in when they are sent', async () => {
    const shop = makeScripted([{ text: 'Reviewed.' }])
    putOwn(shop, 'review', '---\ndescription: Look at a file\nargument-hint: FILE\n---\nLook at $1 closely.')
    const editor = await openEditor(shop)
    const session = await editor.begin()
    const update = await editor.until(offers('review'))
    expect(update).toMatchObject({
      availableCommands: expect.arrayContaining([
        { name: 'review', description: 'Look at a file', input: { hint: 'FILE' } },
        expect.objectContaining({ name: 'undo' }),
      ]) as unknown,
    })
    await editor.prompt(session, '/review a.txt')
    expect(editor.said()).toContain('Reviewed.')
    expect(await toldIn(shop, session)).toBe('Look at a.txt closely.')
  })

  it('are not taken from what is attached, and leave ours alone', async () => {
    const shop = makeScripted([{ text: 'Read.' }])
    putOwn(shop, 'review', 'Look closely.')
    putOwn(shop, 'continue', 'Something else.')
    const editor = await openEditor(shop)
    const session = await editor.begin()
    const update = await editor.until(offers('review'))
    const names = update.sessionUpdate === 'available_commands_update' ? update.availableCommands : []
    expect(names.filter(({ name }) => name === 'continue')).toMatchObject([
      { description: 'Go on with an unfinished turn' },
    ])
    await editor.prompt(session, [
      { type: 'resource', resource: { uri: '/review it', text: 'x' } },
      { type: 'text', text: 'What is this?' },
    ])
    expect(await toldIn(shop, session)).toContain('What is this?')
  })

  it('of a project work once they are trusted; before, nothing is sent and the reason is told', async () => {
    const shop = makeScripted([{ text: 'Checked.' }])
    putShared(shop, 'check', 'Check $ARGUMENTS.')
    const editor = await openEditor(shop)
    const session = await editor.begin()
    await editor.until(offers('undo'))
    expect(editor.updates.some(({ update }) => offers('check')(update))).toBe(false)
    await editor.prompt(session, '/check the tests')
    expect(editor.said()).toContain('Nothing was sent: ')
    expect(editor.said()).toContain('run "tongs trust"')
    expect(editor.said()).not.toContain('Checked.')
    await shop.tongs(['trust'])
    await editor.prompt(session, '/check the tests')
    await editor.until(offers('check'))
    expect(editor.said()).toContain('Checked.')
    expect(await toldIn(shop, session)).toBe('Check the tests.')
  })
})
