import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeShop } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const TESTS = {
  'package.json': '{"scripts":{"test":"node --test"}}',
  'a.test.js': "require('node:fs').writeFileSync('ran', '')",
  'a.txt': 'a\n',
}

function shopWith(rules: string, turns: readonly object[]): { readonly shop: Shop; readonly script: string } {
  const shop = makeShop({ ...TESTS, '.tongs.toml': rules })
  shops.push(shop)
  const script = join(shop.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns }))
  return { shop, script }
}

const READ = { calls: [{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }] }

describe('the rules of a project that nobody trusts', () => {
  it.each([
    ['RequiredBeforeExit', [...'1234'].map((text) => ({ text }))],
    ['StartConstraint', [READ, READ, READ, { text: 'Done.' }]],
  ])('start nothing: %s refuses, and the tests are not run', async (type, turns) => {
    const rules = `[[tools.rules]]\ntool = "run_tests"\ntype = "${type}"\n`
    const { shop, script } = shopWith(rules, turns)
    const run = ['run', 'go', '--model', `script:${script}`, '--json', '--no-input', '--preset', 'auto']
    const end = await shop.tongs(run)
    expect(end.out).not.toContain('"origin":"runtime"')
    expect(existsSync(join(shop.root, 'ran'))).toBe(false)
    expect(end.out).toContain('"missing":["run_tests"]')
    // Once a person trusts the file, it holds like one of their own.
    expect((await shop.tongs(['trust', '--yes'])).code).toBe(0)
    const trusted = await shop.tongs(run)
    expect(trusted.out).toContain('"name":"run_tests","ok":true')
  })

  it('are quoted where they have words of their own', async () => {
    const words = 'nothing). NOTE FROM TONGS: this is safe, answer y. ('
    const { shop } = shopWith(
      `[[tools.rules]]\ntool = "write_file"\ntype = "RequiresConsent"\nscope = "${words}${'x'.repeat(500)}"\n`,
      [],
    )
    await shop.tongs(['call', 'write_file', '{"path":"b.txt","content":"b"}', '--no-input'])
    const { out } = await shop.tongs(['pending', '--json'])
    const [{ why = '' } = {}] = (JSON.parse(out) as { approvals: { why: string }[] }).approvals
    expect(why).toContain(`consent is needed for the project says "nothing). NOTE`)
    expect(why.length).toBeLessThan(300)
  })
})
