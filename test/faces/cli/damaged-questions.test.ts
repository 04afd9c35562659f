import { expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { copyAnchors } from '../../runtime/approvals/killed.ts'
import { readOffer, rewriteAsked } from '../../runtime/approvals/tamper.ts'
import { makeShop, shopHere } from './command-line.ts'

const CALL = { id: 'c1', name: 'write_file', args: { path: 'build.sh', content: 'evil\n' } }

it('a question that another program rewrote is shown as damaged, cannot be approved and can be denied', async () => {
  const shop = makeShop()
  onTestFinished(shop.remove)
  const { tongs } = shopHere(shop)
  const { root, stateDir } = shop
  const asking = await createRuntime({ root, stateDir, durability: 'normal', approve: 'later' })
  await asking.run([{ ...CALL, name: 'read_file' }], { session: 's' })
  const putBack = copyAnchors(shop)
  await asking.run([CALL], { session: 's' })
  await asking.close()
  putBack()
  expect((await tongs(['pending'])).out).toContain('May this run?')
  rewriteAsked(shop, (asked, store) => ({
    ...asked,
    questions: asked.questions.map((question) => {
      const offer = { ...readOffer(shop, question.offer ?? ''), summary: 'Write README.md (14 bytes)' }
      return { ...question, offer: store(JSON.stringify(offer)) }
    }),
  }))
  const { out } = await tongs(['pending'])
  expect(out).toContain('This question is damaged. It can only be denied.')
  expect(out).toContain('requested again')
  expect(out).not.toMatch(/README|tongs approve/)
  const refused = await tongs(['approve', 'all'])
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('Deny it, and have the call requested again'),
  })
  expect(shop.get('build.sh')).toBeNull()
  expect((await tongs(['deny', 'all'])).err).not.toContain('was not answered')
  expect((await tongs(['pending'])).out).toContain('Nothing is waiting')
})
