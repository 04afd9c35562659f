/** The client that the conformance suite starts: hands the address over to the test, where our client is loaded already. */
const [test = '', url = ''] = process.argv.slice(-2)
const answer = await fetch(test, {
  method: 'POST',
  body: JSON.stringify({ url, context: process.env['MCP_CONFORMANCE_CONTEXT'] }),
})
process.stderr.write(await answer.text())
process.exitCode = answer.ok ? 0 : 1
