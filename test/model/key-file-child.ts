import { existsSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { storeKey } from '../../src/model/keys/stored-keys.ts'
import { storeSignIn } from '../../src/servers/sign-in/stored-sign-in.ts'

/** Stores keys, or sign-ins, one after the other, once the other process does so too. */
const [file = '', kind = '', other = '', many = '0'] = process.argv.slice(2)
writeFileSync(`${file}.${kind}`, '')
while (!existsSync(`${file}.${other}`)) await setImmediate()
const registration = {
  issuer: 'https://a.example',
  tokenEndpoint: 'https://a.example/token',
  authMethods: [],
  clientId: 'c',
  clientMethod: null,
  resource: null,
  scope: null,
}
for (let index = 0; index < Number(many); index++)
  if (kind === 'keys') storeKey(file, `compatible https://${index}.example`, `key-${index}`)
  else
    storeSignIn(file, `https://${index}.example/mcp`, {
      registration,
      accessToken: `token-${index}`,
      refreshToken: null,
      clientSecret: null,
    })
