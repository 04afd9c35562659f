import { describe, expect, it } from 'vitest'
import { shownWords, shownWordsOf } from '../../../src/core/command/shown-words.ts'

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`

describe('the words of a command that a question shows whatever they look like', () => {
  it.each([
    `make -s login ${TOKEN}`,
    `make -C ${TOKEN} --eval=${TOKEN}`,
    `make -H ${TOKEN}`,
    `make CMD=${TOKEN}`,
    `make env ${TOKEN}=1 X=${TOKEN}`,
    `npm run -s ${TOKEN}`,
    `alias ok=${TOKEN}; ok`,
    `git -c alias.ok=!${TOKEN} ok`,
    `docker run ${TOKEN}`,
    `echo ${TOKEN} | sh`,
    `echo ${TOKEN} >run.sh`,
    `sh -c "$(echo ${TOKEN})"`,
    `sh -c 'make ${TOKEN}'`,
    `env A=1 sh -c 'timeout 5 make ${TOKEN}'`,
    `timeout -s KILL 5 make ${TOKEN}`,
    `X=${TOKEN} make ${TOKEN}`,
    `curl ${TOKEN}`,
    `wget -d ${TOKEN}`,
  ])('are those that a program may run or fetch: %s', (line) => {
    expect(shownWordsOf(line).join(' ')).toContain(TOKEN)
    expect(shownWords(['sh', '-c', line]).join(' ')).toContain(TOKEN)
  })

  it.each([
    `echo ${TOKEN}`,
    `printf %s ${TOKEN}`,
    `export TOKEN=${TOKEN}`,
    `TOKEN=${TOKEN} make`,
    `env TOKEN=${TOKEN} make`,
    `gh auth login --token=${TOKEN}`,
    `curl -H "Authorization: Bearer ${TOKEN}" https://api.test/`,
    `curl -H X-Api-Key:${TOKEN} https://api.test/`,
    `curl https://${TOKEN}@api.test/`,
    `git commit -m "the token is ${TOKEN}"`,
  ])('are not those that are known to be a value: %s', (line) => {
    expect(shownWordsOf(line).join(' ')).not.toContain(TOKEN)
    expect(shownWords(['sh', '-c', line]).join(' ')).not.toContain(TOKEN)
  })

  it.each(['eval ', 'env ', 'nohup '])(
    'are found soon in any number of commands in commands, and none is left out (%s)',
    (outer) => {
      const line = `${outer.repeat(8_000)}./deploy`
      expect(shownWordsOf(line)).toContain('./deploy')
      expect(shownWords(['sh', '-c', line])).toContain('./deploy')
    },
  )
})
