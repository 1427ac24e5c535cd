#!/bin/sh
# Puts a build, the libraries it needs and the Vulkan loader into one folder that can be carried to a
# bare x86-64 Linux machine with a GPU driver, and writes run.sh there, which prints one table.
#
#   tests/bench/bundle.sh BUILD FOLDER
#
# On the other machine: sh FOLDER/run.sh [DEVICE [MEBIBYTES]]
set -eu
[ $# -eq 2 ] || { echo "usage: $0 BUILD FOLDER" >&2; exit 2; }
build=$1
folder=$2
source=$(dirname "$0")/../..

mkdir -p "$folder/lib" "$folder/plugins" "$folder/docs/examples/fashion-mnist"
cp "$build/host/cli/tenon" "$build/tests/bench/bench_device" "$folder/"
find "$build/host" -maxdepth 1 -name 'libtenon.so.0*' ! -type d -exec cp -P {} "$folder/lib/" \;
cp "$build"/backends/*.so "$build"/plugins/*.so "$folder/plugins/"
cp "$source"/docs/examples/fashion-mnist/fashion-mnist-* "$folder/docs/examples/fashion-mnist/"

# What they link, but for the C library itself, which every machine has.
for file in "$folder/tenon" "$folder"/lib/*.so* "$folder"/plugins/*.so; do
    LD_LIBRARY_PATH="$build/host" ldd "$file" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libdl|libpthread|librt|libtenon)\.so' |
    while read -r library; do
        cp -L "$library" "$folder/lib/"
    done
loader=$(ldconfig -p | awk '/libvulkan\.so\.1 / { print $NF; exit }')
[ -z "$loader" ] || cp -L "$loader" "$folder/lib/"

cat >"$folder/run.sh" <<'END'
#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TENON_PLUGIN_PATH="$PWD/plugins"
if [ -z "${VK_DRIVER_FILES:-}" ] && [ -f /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json ]; then
    export VK_DRIVER_FILES=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
fi
./tenon devices
exec ./bench_device "$@"
END
