#!/bin/sh
# Makes a virtual environment for each Python client: two of them install a package of the same name.
# usage: setup.sh FOLDER
set -eu
folder=${1:?"usage: setup.sh FOLDER"}
for package in aioapns==4.0 mopyapns==0.8.0 pyapns-client==2.0.6 kalyke-apns==1.5.0 apns2-up==0.9.0 \
  tapns3==3.0.0 pushjack==1.6.0 apns-clerk==0.2.0 twisted-apns==0.13; do
  name=${package%%==*}
  [ -x "$folder/$name/bin/python" ] && continue
  case $name in
    # It changes a context that was used before, which later ones refuse.
    apns-clerk) also=pyopenssl==24.2.1 ;;
    # Twisted's TLS needs it and does not say so.
    twisted-apns) also=service_identity ;;
    *) also= ;;
  esac
  python3 -m venv "$folder/$name"
  "$folder/$name/bin/pip" install --quiet --disable-pip-version-check "$package" $also
done
