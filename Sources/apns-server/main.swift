// apns-server: a local APNs for tests.

import Filter
import Options

Tool.main(.server) { try ServerRun($0).run() }
