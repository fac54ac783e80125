/** Addresses that may never be fetched for a user, even if channels may reach them: private and reserved ones in every spelling, and invalid ones. */
const HOSTS: readonly string[] = [
  "127.0.0.1 127.1.2.3 0.0.0.0 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 169.254.169.254 169.254.0.1",
  "100.64.0.1 100.127.255.255 100.100.100.200 192.0.0.1 192.0.0.192 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1",
  "239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 192.88.99.1 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 127.1 localhost",
  "LOCALHOST localhost. [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a00:1]",
  "[64:ff9b:1::a00:1] [2002:7f00:1::] [2002:a00:1::] [fc00::1] [fd00::1] [fd00:ec2::254] [fd20:ce::254] [fe80::1] [fec0::1] [ff02::1] [100::1]",
  "[2001::1] [2001:db8::1] [3fff::1] [5f00::1] [2001:10::1] 127.0.0.1:1 [::1]:1",
]
  .flatMap((line) => line.split(" "))
  .map((host) => `http://${host}/a.png`);
const NO_ADDRESSES: readonly string[] = [
  "file:///etc/passwd",
  "ftp://example.com/a.png",
  "data:image/png;base64,AA==",
  "//x",
  "javascript:1",
];

export const FOREIGN_ADDRESSES: readonly string[] = [...HOSTS, ...NO_ADDRESSES];
