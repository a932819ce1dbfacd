#!/bin/sh
# Bring a git that knows reftable, for the tests that need one, where this machine's does not:
# that of Debian's stable release, unpacked into a folder and installed nowhere.
#
#   tools/newer-git.sh FOLDER     FOLDER/git is then that git
#
# It never fails: where it cannot, it says why, and those tests are skipped.
set -u

case $1 in /*) folder=$1 ;; *) folder=$PWD/$1 ;; esac
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

knows_reftable() {
    rm -rf "$folder.probe"
    "$1" init -q --ref-format=reftable "$folder.probe" >/dev/null 2>&1
    known=$?
    rm -rf "$folder.probe"
    return $known
}

without() {
    rm -rf "$folder.new"
    echo "no newer git: $1; the tests that need reftable are skipped"
    exit 0
}

# apt-get with lists and packages of its own, so that nothing of the machine's changes.
apt() {
    apt-get -qq -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root \
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@" 2>&1
}

# Where this machine has Debian itself from.
archive() {
    release=$(. /etc/os-release && echo "$ID ${VERSION_CODENAME:-}") 2>/dev/null
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^${release#debian } main //p" | head -n 1
}

# In place of its program a script that starts it with the libraries it was made for.
wrap() {
    mv root/usr/lib/git-core unpacked && mkdir unpacked/lib || return
    find root -name 'lib*.so.*' -exec cp -P {} unpacked/lib/ \;
    find root -name 'ld-linux*' -exec cp -L {} unpacked/loader \;
    cp -L root/usr/bin/git unpacked/program && rm -f unpacked/git
    cat >unpacked/git <<'EOF'
#!/bin/sh
here=${0%/*}
GIT_EXEC_PATH=$here exec "$here/loader" --library-path "$here/lib" --argv0 "${0##*/}" \
    "$here/program" "$@"
EOF
    chmod 755 unpacked/git
}

mkdir -p "$(dirname "$folder")"
knows_reftable git && { echo "$(git version) knows reftable; no other is brought"; exit 0; }
knows_reftable "$folder/git" && { echo "$("$folder/git" version) is there already"; exit 0; }
for needed in apt-get dpkg-deb; do
    command -v $needed >/dev/null || without "there is no $needed"
done
[ -f $keyring ] || without "this is not Debian"
from=$(archive)
[ -n "$from" ] || without "this machine has no source of Debian's packages"

rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new/lists/partial" "$folder.new/cache/archives/partial"
cd "$folder.new" || exit 0
echo "deb [signed-by=$keyring] $from stable main" >sources.list
said=$(apt update) || without "Debian's list of packages cannot be had ($said)"
said=$(apt download git libc6 libpcre2-8-0 zlib1g) || without "the packages cannot be had ($said)"
for package in *.deb; do
    dpkg-deb -x "$package" root || without "$package cannot be unpacked"
done
wrap || without "it is packed in another way than expected"
cd "$OLDPWD" || exit 0
mv "$folder.new/unpacked" "$folder"
rm -rf "$folder.new"
knows_reftable "$folder/git" || without "what came does not run here"
echo "brought $("$folder/git" version) into $folder"
