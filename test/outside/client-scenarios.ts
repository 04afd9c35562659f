/** Why our client does not do what a scenario of the conformance suite wants. */
export const CLIENT_DIFFERENCES: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults':
    'A server gets nothing from us but its calls, so it cannot ask our user.',
  'sep-2322-client-request-state': 'A server gets nothing from us but its calls, so it cannot ask our user.',
  'auth/pre-registration':
    'There is no setting for a client that was registered by hand; a token in headers works.',
  'http-custom-headers':
    'Open: parameters that a schema wants as headers (x-mcp-header) are sent in the body alone.',
  'http-invalid-tool-headers':
    'Open: x-mcp-header in a schema is not looked at, so a wrong one is not refused.',
}
