/** Variables that make something else run than the words say: where programs, libraries, plug-ins and options come from. */
const NAMES = [
  'PATH|IFS|ENV|CDPATH|FPATH|ZDOTDIR|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4',
  'HOME|XDG_CONFIG_\\w+|EDITOR|VISUAL|BROWSER|PAGER|MANPAGER|LESSOPEN|LESSCLOSE',
  'BASH_.+|LD_.+|DYLD_.+|GIT_.+|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|OPENSSL_CONF|OPENSSL_MODULES',
  'NODE_OPTIONS|NODE_PATH|npm_config_.+|NPM_CONFIG_.+|YARN_.+|DENO_.+|BUN_.+',
  'PYTHON.+|PYTEST_.+|PIP_.+|PERL5.+|PERLLIB|RUBYOPT|RUBYLIB|GEM_.+|BUNDLE_.+|PHPRC|PHP_INI_SCAN_DIR|LUA_.+',
  'CLASSPATH|JAVA_HOME|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_.+|GRADLE_.+|EMACSLOADPATH',
  'CC|CXX|LDFLAGS|MAKE|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|CARGO_.+|RUSTC|RUSTC_.+|RUSTUP_.+|RUSTFLAGS',
  'GO(?:FLAGS|ROOT|PATH|BIN|ENV|TOOLCHAIN|TOOLDIR|PROXY)|TAR_OPTIONS|RSYNC_RSH|SSH_.+|SUDO_.+|DOCKER_.+',
].join('|')

const NAME = new RegExp(`^(?:${NAMES})$`, 's')
const ASSIGNMENT = /^(?:--?[A-Za-z][A-Za-z-]*=)?([^=+]+)\+?=/s

/** Whether setting this variable changes what actually runs. */
export function isRedirectingVariable(name: string): boolean {
  return NAME.test(name)
}

/** Whether a word such as `PATH=./bin` or `--setenv=PATH=./bin` sets such a variable. */
export function setsRedirectingVariable(word: string): boolean {
  const name = ASSIGNMENT.exec(word)?.[1]
  return name !== undefined && isRedirectingVariable(name)
}
