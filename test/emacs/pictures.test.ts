import { describe, expect, it } from 'vitest'
import { takeEmacsPictures } from '../../scripts/pictures/emacs-pictures.ts'

const wordsOf = (svg: string): string =>
  [...svg.matchAll(/>([^<]*)<\/text>/g)].map(([, text]) => text).join('\n')

describe('Emacs in a terminal', () => {
  it('shows a conversation, a question and the work items, as the pictures of its page have them', async () => {
    const pictures = await takeEmacsPictures()
    const words = Object.fromEntries(Object.entries(pictures).map(([name, svg]) => [name, wordsOf(svg)]))
    expect(Object.keys(words).toSorted()).toEqual(['emacs-approval', 'emacs-conversation', 'emacs-tasks'])
    expect(words['emacs-approval']).toMatch(
      /Asks you[^]*y: yes, once[^]*Risk: Medium[^]*Asked because[^]*Undo: /,
    )
    expect(words['emacs-conversation']).toMatch(
      /&gt; The total is wrong[^]*✓\nsearch total-of[^]*total\.el:3[^]*✗\nrun_tests[^]*total-test\.el:5[^]*✓\nedit_file[^]*It adds now/,
    )
    expect(words['emacs-tasks']).toMatch(
      /Round the total to cents\ntotal\.el:9[^]*Test the tax\ntotal-test\.el:5/,
    )
  })
})
