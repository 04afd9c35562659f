import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { makeShop } from '../../faces/cli/command-line.ts'
import { openPane } from '../../faces/cli/pane.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { openGuarded } from './guarded-server.ts'

it('tongs mcp login prints the page, takes the way back, and shows no token; logout forgets it', async () => {
  const { url, origin, issued } = await openGuarded()
  const { tongs, env, root } = makeShop()
  expect((await tongs(['mcp', 'add', 'guarded', '--url', url])).code).toBe(0)
  expect((await tongs(['mcp', 'trust', 'guarded', '--yes'])).err).toContain('tongs mcp login guarded')
  expect((await tongs(['mcp', 'list'])).out).toContain('last error: it wants you to sign in')

  const piped = await tongs(['mcp', 'login', 'guarded', '--no-input'])
  expect(piped).toMatchObject({ code: 4, out: '' })
  expect(piped.err).toContain('run this in a terminal: tongs mcp login guarded')

  const pane = await openPane(900, 24, root, { ...env, DISPLAY: '', WAYLAND_DISPLAY: '' })
  await pane.type(`${shellWord(join(TOP, 'bin', 'tongs'))} mcp login guarded`)
  await pane.press('Enter')
  const shown = await pane.until(/http:\/\/127\.0\.0\.1:\d+\/authorize\S+/)
  expect(shown).toContain(`You sign in at ${origin} for the server at ${url}, which gets the token.`)
  await fetch(/http:\S+authorize\S+/.exec(shown)?.[0] ?? '')
  const done = await pane.until(/Signed in\./)
  for (const token of issued) expect(done).not.toContain(token)
  expect(issued).toHaveLength(2)

  expect((await tongs(['mcp', 'list'])).out).toContain(`${url}, signed in`)
  expect((await tongs(['mcp', 'trust', 'guarded', '--yes'])).code).toBe(0)
  const called = await tongs(['call', 'guarded__echo', '{"value":"hello"}', '--yes', '--json'])
  expect(called.rows).toMatchObject([{ ok: true, result: { text: 'hello' } }])

  expect((await tongs(['mcp', 'logout', 'guarded'])).out).toContain('Signed out of guarded.')
  expect((await tongs(['mcp', 'logout', 'guarded'])).out).toContain('You were not signed in to guarded.')
  const keys = readFileSync(join(env['XDG_CONFIG_HOME'] ?? '', 'tongs', 'keys.json'), 'utf8')
  for (const token of issued) expect(keys).not.toContain(token)
})
