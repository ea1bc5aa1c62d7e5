// Threads and a monitor: a value under a lock that can be waited on.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A running thread. Join it before the end, or its work may be cut off.
public final class Thread: @unchecked Sendable {
  // Written once in `start` before the object is handed out, read by `join` alone.
  private var handle: pthread_t

  private init(_ handle: pthread_t) { self.handle = handle }

  /// Runs the body on a thread of its own.
  public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> Thread {
    let box = Unmanaged.passRetained(Body(body))
    #if canImport(Darwin)
      var handle: pthread_t?
      let code = pthread_create(
        &handle, nil,
        {
          runBody($0)
          return nil
        }, box.toOpaque())
      guard code == 0, let handle else {
        box.release()
        throw SystemError("pthread_create", code: code)
      }
    #else
      var handle = pthread_t()
      let code = pthread_create(
        &handle, nil,
        {
          runBody($0)
          return nil
        }, box.toOpaque())
      guard code == 0 else {
        box.release()
        throw SystemError("pthread_create", code: code)
      }
    #endif
    return Thread(handle)
  }

  public func join() { pthread_join(handle, nil) }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ pointer: UnsafeMutableRawPointer?) {
  guard let pointer else { return }
  Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
}

/// A value that many threads share: one at a time may touch it, and may wait until it changes.
public final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  public init(_ value: Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs the body with the lock held, then wakes everyone who waits.
  public func change<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Waits until the body returns a result; it runs with the lock held, once at once and after each change.
  public func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}
