/** Commands that run, write, delete, send or never end, one on each line; every one has a harmless beginning or name. */
export const HOSTILE_LINES: readonly string[] = String.raw`
git grep -O./evil x
git grep -O x
git grep -nO x
git grep -nO./evil x
git grep --open-files-in-pager=./evil x
git grep --open-files-in-pager x
git grep --open=./evil x
git grep -f /dev/stdin x
git -c core.pager=./evil log
git -c core.fsmonitor=./evil status
git -c diff.external=./evil diff
git --exec-path=. log
git --config-env=core.pager=X log
git -C sub status
git --git-dir=sub status
git --git-dir sub status
git --work-tree=/ status
git --namespace=x log
git -p log
git --paginate log
git log --output=x
git log --output x
git log --outp=x
git log -p --output=x
git log --ext-diff
git log -p --ext-diff
git log --ext
git log --textconv
git log --textc
git log --show-signature
git log --format=%G?
git log --format=%GS
git log --pretty=format:%GK
git log --pretty=format:%-GK
git log --pretty=%+G?
git log --pretty=evil
git log --format=%(trailers)
git log --format=%(describe)
git log -Oorder
git log --remerge-diff
git log --submodule=diff
git log --stdin
git log -- -x
git show --output=x HEAD
git show --ext-diff HEAD
git show --show-signature HEAD
git show --textconv HEAD:a
git diff --output=x
git diff --output x
git diff --ext-diff
git diff --textconv
git diff --no-index --output=x a b
git diff --submodule=diff
git diff -Oorder
git diff --cached --outpu=x
git rev-list --all --filter-provided-objects --disk-usage
git rev-list --stdin
git rev-parse --parseopt
git rev-parse --sq-quote x
git blame --contents /etc/passwd a
git blame --ignore-revs-file=x a
git blame -S revs a
git cat-file --batch-command
git cat-file --textconv HEAD:a
git cat-file --filters HEAD:a
git status --output=x
git branch evil
git branch -d main
git branch -D main
git branch -m a b
git branch -M a b
git branch -f main HEAD~1
git branch -c a b
git branch --edit-description
git branch --set-upstream-to=x
git branch --unset-upstream
git branch -u origin/main
git branch -t a b
git branch --list -D main
git branch --list evil
git tag evil
git tag -d v1
git tag -a v1 -m x
git tag -s v1
git tag -f v1
git tag -v v1
git tag -l -d v1
git ls-files --recurse-submodules
git ls-files -X x
git ls-files --with-tree=x --outp
git ls-remote --upload-pack=./evil .
git fetch --upload-pack=./evil .
git fetch --upload-pack ./evil .
git fetch origin
git pull
git push
git push origin main
git push --receive-pack=./evil .
git clone --upload-pack=./evil . x
git clone -c core.fsmonitor=./evil . x
git clone --template=t . x
git clone ext::./evil x
git archive --remote=. --exec=./evil HEAD
git archive -o x HEAD
git archive --output=x HEAD
git format-patch -o x HEAD~1
git format-patch HEAD~1
git bundle create x HEAD
git checkout HEAD a
git checkout main
git checkout .
git switch main
git restore a
git reset --hard
git reset HEAD a
git clean -fdx
git clean -n
git stash
git stash list
git stash pop
git apply x
git am x
git add .
git commit -m x
git commit --amend
git rm a
git mv a b
git merge x
git rebase -x ./evil main
git rebase -i main
git cherry-pick x
git revert HEAD
git bisect run ./evil
git submodule foreach ./evil
git submodule update
git filter-branch --tree-filter ./evil
git difftool -x ./evil
git mergetool
git config alias.x !./evil
git config --get user.name
git config -l
git remote add x y
git remote update
git remote -v
git gc
git prune
git repack
git fsck --lost-found
git reflog expire --all
git reflog
git notes add
git worktree add x
git update-index --refresh
git update-ref -d x
git hash-object -w a
git init x
git help log
git instaweb
git daemon
git send-email x
git svn fetch
git credential fill
git maintenance start
git interpret-trailers --in-place a
git symbolic-ref HEAD x
git evil
git ./evil
git
git --version
./git status
/tmp/git status
bin/git log
../git log
GIT status
git.exe status
./ls
/usr/bin/ls
/bin/cat a
node_modules/.bin/ls
sed -n 1e./evil a
sed -n 1e a
sed -n '1w x' a
sed -n 1,5w x
sed -i s/a/b/ a
sed -n -i 1p a
sed -ni 1p a
sed -n --in-place 1p a
sed -n -e 1p -e '1w x' a
sed -n -f script a
sed -e 1p a
sed s/a/b/e a
sed s/a/b/w\ x a
sed '1p;1w x' a
sed -n 1r/etc/passwd a
sed --expression=1w a
find . -exec ./evil {} ;
find . -execdir ./evil {} ;
find . -ok ./evil {} ;
find . -okdir ./evil {} ;
find . -delete
find . -fprint x
find . -fprint0 x
find . -fprintf x %p
find . -fls x
find . -name a -fprintf x %p
find . -type f -exec rm {} +
find . -files0-from list
find -D exec .
find . -name -delete
find . -newer -delete
find . -printf
sort -o x a
sort -ox a
sort -no x a
sort -uox a
sort --output=x a
sort --output x a
sort --outp=x a
sort a -o a
sort -T . a
sort -T. a
sort --temporary-directory=. a
sort --compress-program=./evil a
sort --compress-prog ./evil a
sort -S 1 --compress-program=./evil a
sort --files0-from=list
sort --random-source=x a
sort -t -o a
uniq a b
uniq -c a b
uniq a -c b
uniq -- a b
uniq -f 1 a b
tree -o x
tree -ao x
tree -R -L 1
tree -Po x y
tree -aRL 1
tree -H . -o x
tree --output x
tree --fromfile x
tree -L2o x
date -s 2020-01-01
date -us 2020-01-01
date --set=2020-01-01
date --set 2020-01-01
date 010100002020
date -u 010100002020
date -f list
date -d now 01010000
file -z a
file -Z a
file -bz a
file -C -m magic
file --compile -m magic
file -m magic a
file -f list
file -p a
file --preserve-date a
diff -l a b
diff -ul a b
diff --paginate a b
diff --pagin a b
diff a b c
rg --pre ./evil x
rg --pre=./evil x
rg --pre-glob=* x
rg --hostname-bin=./evil x
rg -z x
rg -nz x
rg --search-zip x
rg -f list
rg --ignore-file=x y
rg --config x
grep -f list a
grep -nf list a
grep --file=list a
grep -D read x
wc --files0-from=list
du --files0-from=list
du -X list
df --sync
tail -f a
tail -F a
tail -nf a
tail +1f a
tail +f a
tail +cf a
tail --follow=name a
tail --pid=1 a
stat --evil a
cat - a
head --evil a
ls --evil
ls -l -- -x --evil
echo x > f
echo x >> f
echo $(./evil)
echo x | sh
echo x; ./evil
echo x && ./evil
cat a > b
cat a | tee b
ls & ./evil
A=1 ls
PATH=. ls
GIT_EXTERNAL_DIFF=./evil git diff
cp a precious
cp -r a b
mv a b
rm a
ln -s a b
mkdir x
touch a
chmod +x a
chown a b
truncate -s 0 a
install a b
dd if=a of=b
tee x
rsync a b
rsync -e ./evil a b
tar -F ./evil -cf x a
tar xf x
tar cf x a
tar --checkpoint=1 --checkpoint-action=exec=./evil -cf x a
tar -I ./evil -cf x a
tar --to-command=./evil -xf x
tar --use-compress-program=./evil -tf x
tar tf x
zip x a -T -TT ./evil
unzip x
gzip a
xxd a b
split a
csplit a 1
python3.11 -c 1
python3.11 x.py
python3 -c 1
python -m http.server
node -e 1
node x.js
node --version
node22 -e 1
perl -e 1
perl5.36 -e 1
ruby -e 1
php -r 1
lua -e 1
awk 1 a
awk 'BEGIN{system("./evil")}'
gawk -f x
mawk 1
busybox ls
toybox ls
env ls
env -S ./evil
env
printenv
nice ls
nohup ls
timeout 5 ls
time ls
stdbuf -o0 ls
setsid ls
ionice ls
chroot . ls
unshare ls
strace ls
xargs ls
xargs -a list ls
parallel ls
watch ls
script -c ls
sudo ls
su -c ls
doas ls
sh -c ls
bash -c ls
sh x
dash x
zsh -c ls
bash x
less a
more a
man ls
man -P ./evil ls
vim a
vi -c :q a
ed a
emacs --batch
nano a
make
make test
make -f x
cmake .
ninja
npm ls
npm test
npm run x
npm --script-shell=./evil test
npm outdated
npm exec x
npm install
npx x
yarn
pnpm i
pip install x
cargo check
cargo test
go vet
go test
go run x
tsc --noEmit
tsc
eslint .
jest
vitest
pytest
curl x
wget x
ssh x
scp a b
nc x 1
telnet x
ping x
dig x
gh pr list
docker ps
kubectl get pods
systemctl status
crontab -l
at now
kill 1
pkill x
hostname evil
id evil
which ./evil
pwd evil
whoami evil
uname evil
nproc --ignore
tr a b c
cmp a b 1 2
comm a b c
basename -x a
realpath --relative-base=x a
ldd a
strings a
objdump -d a
gdb a
jq -n input a
yq -i x a
sqlite3 x .shell
psql -c x
op read x
export PATH=.
eval ls
exec ls
command ls
. ./evil
source ./evil
true && ./evil
`
  .split('\n')
  .filter((line) => line !== '')

/** The same as words that no shell has read, for what a line cannot say. */
export const HOSTILE_WORDS: readonly (readonly string[])[] = [
  [],
  [''],
  ['', 'git', 'log'],
  ['git log'],
  ['git', ''],
  ['git', 'log\n--output=x'],
  ['git', ' log'],
  ['git', '-c', 'log.showSignature=true', 'log'],
  ['git', 'log', '--output=x\u0000'],
  ['git', 'log', '\u0000'],
  ['git', 'log', '--format=a\n%G?'],
  ['git', 'log', '-'],
  ['git', 'log', '--end-of-options', '--output=x'],
  ['git', 'log', '--since', '--output=x'],
  ['git', 'log', '-n', '--output=x'],
  ['git', 'log', '-n', '1 --output=x', '--output=x'],
  ['git', 'log', '-n'],
  ['git', 'grep', '-e', '-O./evil'],
  ['git', 'grep', '--and', '-O./evil'],
  ['git', '\u202Elog'],
  ['ls', '-\u0000'],
  ['sed', '-n', '1p\n1w x', 'a'],
  ['sed', '-n', '1p;e ./evil', 'a'],
  ['sed', '-n', '1p}', 'a'],
  ['sed', '-n', '', 'a'],
  ['sed', '-n', 'p', '-s', '1e ls'],
  ['sort', '-k', '1', '-o', 'x'],
  ['sort', '-k', '-o', 'x'],
  ['sort', '--key', '-ox', 'a'],
  ['sort', '-to', '-o', 'x'],
  ['uniq', '-f', 'a', 'b'],
  ['uniq', '-w', '1', '2', '3'],
  ['find', '.', '-name', '*.ts', '-exec', 'sh', '-c', 'evil', ';'],
  ['find', '.', '(', '-fprint', 'x', ')'],
  ['find', '.', '!', '-delete'],
  ['find', '.', ',', '-delete'],
  ['date', '--', '01010000'],
  ['date', '+%s', '01010000'],
  ['rg', '-e', '--pre', './evil'],
  ['rg', '--', 'x', '--pre=./evil'],
  ['tree', '-P', '-o', 'x'],
  ['tree', '--', '-o'],
  ['cat', '--', '-x'],
  ['diff', '-U', '-l', 'a', 'b'],
  ['toString'],
  ['__proto__'],
  ['constructor', 'name'],
]
