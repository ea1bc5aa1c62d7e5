// Stub.
import Testing
