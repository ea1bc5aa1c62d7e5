// A push service that is never the limit: HTTP/2 over TLS on loopback, answers every POST, judges nothing.
//
// usage: sink CERT KEY [-m STREAMS] [-d DELAY_MS] [-t N] [-g N]
//   -m  most concurrent streams of a connection (1000)
//   -d  answer only after so many milliseconds
//   -t  every Nth request is answered 429 TooManyRequests
//   -g  GOAWAY after N requests on a connection; what came behind is not acted on
//
// Prints its port on standard output, counts to standard error on SIGTERM, and ends by itself after ten minutes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 16, WRITE_SIZE = 1 << 16, ID_SIZE = 36 };

struct peer {
  int fd, open, dying;
  uint32_t watched;
  SSL *tls;
  nghttp2_session *h2;
  long requests;
  int waiting; // answers in the queue that still name this peer
  size_t have, sent;
  unsigned char out[WRITE_SIZE];
};

struct answer {
  struct peer *peer;
  int32_t stream;
  uint64_t due;
};

static int streams = 1000, delay_ms, throttle_every, goaway_every, loop;
static unsigned long answered, throttled, connections, resets;
static volatile sig_atomic_t over;
static SSL_CTX *context;
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;
static struct answer *queue;
static size_t head, tail, room;

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void die(const char *what) {
  perror(what);
  ERR_print_errors_fp(stderr);
  exit(2);
}

static ssize_t read_reason(nghttp2_session *h2, int32_t stream, uint8_t *to, size_t size, uint32_t *flags,
                           nghttp2_data_source *source, void *user) {
  (void)h2, (void)stream, (void)source, (void)user;
  static const char text[] = "{\"reason\":\"TooManyRequests\"}";
  if (size < sizeof text - 1) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  memcpy(to, text, sizeof text - 1);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  return sizeof text - 1;
}

#define FIELD(n, v, size) \
  {(uint8_t *)n, (uint8_t *)v, sizeof n - 1, size, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE}

// The id of the request is kept as the stream's user data until it is answered.
static void give_answer(struct peer *peer, int32_t stream) {
  char *id = nghttp2_session_get_stream_user_data(peer->h2, stream);
  if (!id) return;
  int refuse = throttle_every && ++answered % (unsigned long)throttle_every == 0;
  if (!throttle_every) answered++;
  throttled += (unsigned long)refuse;
  nghttp2_nv fields[] = {FIELD(":status", (refuse ? "429" : "200"), 3), FIELD("apns-id", id, ID_SIZE)};
  fields[1].flags |= NGHTTP2_NV_FLAG_NO_INDEX;
  nghttp2_data_provider reason = {.read_callback = read_reason};
  nghttp2_submit_response(peer->h2, stream, fields, *id ? 2 : 1, refuse ? &reason : NULL);
}

static int on_begin(nghttp2_session *h2, const nghttp2_frame *frame, void *user) {
  (void)user;
  if (frame->hd.type == NGHTTP2_HEADERS)
    nghttp2_session_set_stream_user_data(h2, frame->hd.stream_id, calloc(1, ID_SIZE + 4));
  return 0;
}

static int on_field(nghttp2_session *h2, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                    const uint8_t *value, size_t size, uint8_t flags, void *user) {
  (void)flags, (void)user;
  if (name_size == 7 && size == ID_SIZE && memcmp(name, "apns-id", 7) == 0) {
    char *id = nghttp2_session_get_stream_user_data(h2, frame->hd.stream_id);
    if (id) memcpy(id, value, size);
  }
  return 0;
}

static int on_frame(nghttp2_session *h2, const nghttp2_frame *frame, void *user) {
  struct peer *peer = user;
  if (frame->hd.type == NGHTTP2_RST_STREAM) resets++;
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
  int32_t stream = frame->hd.stream_id;
  peer->requests++;
  if (goaway_every && peer->requests > goaway_every) return 0;
  if (goaway_every && peer->requests == goaway_every)
    nghttp2_submit_goaway(h2, 0, stream, NGHTTP2_NO_ERROR, NULL, 0);
  if (!delay_ms) {
    give_answer(peer, stream);
    return 0;
  }
  if (tail - head == room) {
    size_t larger = room ? room * 2 : 8192;
    struct answer *fresh = malloc(larger * sizeof *fresh);
    for (size_t i = head; i < tail; i++) fresh[i & (larger - 1)] = queue[i & (room - 1)];
    free(queue);
    queue = fresh;
    room = larger;
  }
  queue[tail++ & (room - 1)] = (struct answer){peer, stream, now_us() + (uint64_t)delay_ms * 1000};
  peer->waiting++;
  return 0;
}

static int on_close(nghttp2_session *h2, int32_t stream, uint32_t code, void *user) {
  (void)code, (void)user;
  free(nghttp2_session_get_stream_user_data(h2, stream));
  return 0;
}

static void bury(struct peer *peer) {
  if (!peer->dying) {
    peer->dying = 1;
    close(peer->fd);
    SSL_free(peer->tls);
    nghttp2_session_del(peer->h2);
  }
  if (!peer->waiting) free(peer);
}

static void watch(struct peer *peer, uint32_t events) {
  if (peer->watched == events) return;
  struct epoll_event e = {.events = events, .data.ptr = peer};
  epoll_ctl(loop, EPOLL_CTL_MOD, peer->fd, &e);
  peer->watched = events;
}

// Fills whole TLS records before it writes. 0 when the connection is over.
static int flush_peer(struct peer *peer) {
  for (;;) {
    if (peer->sent == peer->have) {
      peer->sent = peer->have = 0;
      while (peer->have + 16400 < WRITE_SIZE) {
        const uint8_t *bytes;
        ssize_t size = nghttp2_session_mem_send(peer->h2, &bytes);
        if (size < 0) return 0;
        if (size == 0) break;
        memcpy(peer->out + peer->have, bytes, (size_t)size);
        peer->have += (size_t)size;
      }
      if (!peer->have) {
        watch(peer, EPOLLIN);
        return nghttp2_session_want_read(peer->h2) || nghttp2_session_want_write(peer->h2);
      }
    }
    int size = SSL_write(peer->tls, peer->out + peer->sent, (int)(peer->have - peer->sent));
    if (size > 0) {
      peer->sent += (size_t)size;
      continue;
    }
    if (SSL_get_error(peer->tls, size) != SSL_ERROR_WANT_WRITE) return 0;
    watch(peer, EPOLLIN | EPOLLOUT);
    return 1;
  }
}

static int begin(struct peer *peer) {
  int done = SSL_accept(peer->tls);
  if (done <= 0) {
    int why = SSL_get_error(peer->tls, done);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
  }
  peer->open = 1;
  nghttp2_session_server_new2(&peer->h2, callbacks, peer, options);
  nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)streams},
                                       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 8000}};
  nghttp2_submit_settings(peer->h2, 0, settings, 2);
  nghttp2_session_set_local_window_size(peer->h2, 0, 0, 16 << 20);
  return 1;
}

static int serve(struct peer *peer) {
  static unsigned char in[READ_SIZE];
  if (!peer->open && !begin(peer)) return 0;
  if (!peer->open) return 1;
  // What OpenSSL has read ahead wakes nobody: it is taken to the end.
  for (int turn = 0; turn < 16 || SSL_has_pending(peer->tls); turn++) {
    int size = SSL_read(peer->tls, in, sizeof in);
    if (size <= 0) {
      int why = SSL_get_error(peer->tls, size);
      if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) break;
      return 0;
    }
    if (nghttp2_session_mem_recv(peer->h2, in, (size_t)size) != size) return 0;
    if (turn % 4 == 3 && !flush_peer(peer)) return 0;
  }
  return flush_peer(peer);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct peer *peer = calloc(1, sizeof *peer);
    peer->fd = fd;
    peer->watched = EPOLLIN;
    peer->tls = SSL_new(context);
    SSL_set_fd(peer->tls, fd);
    SSL_set_accept_state(peer->tls);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = peer};
    epoll_ctl(loop, EPOLL_CTL_ADD, fd, &e);
    connections++;
  }
}

static void answer_due(void) {
  uint64_t now = now_us();
  struct peer *last = NULL;
  while (head != tail && queue[head & (room - 1)].due <= now) {
    struct answer next = queue[head++ & (room - 1)];
    next.peer->waiting--;
    if (next.peer->dying) {
      if (!next.peer->waiting) free(next.peer);
      continue;
    }
    if (last && last != next.peer && !last->dying && !flush_peer(last)) bury(last);
    give_answer(next.peer, next.stream);
    last = next.peer;
  }
  if (last && !last->dying && !flush_peer(last)) bury(last);
}

static void stop(int number) { (void)number, over = 1; }

static int choose(SSL *tls, const unsigned char **out, unsigned char *size, const unsigned char *in, unsigned int in_size,
                  void *user) {
  (void)tls, (void)user;
  return SSL_select_next_proto((unsigned char **)out, size, (const unsigned char *)"\x02h2", 3, in, in_size) ==
                 OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static void prepare(const char *cert, const char *key) {
  context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, READ_SIZE);
  SSL_CTX_set_alpn_select_cb(context, choose, NULL);
  if (SSL_CTX_use_certificate_chain_file(context, cert) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    die("certificate");
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_field);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  nghttp2_option_new(&options);
  nghttp2_option_set_no_closed_streams(options, 1);
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: sink CERT KEY [-m STREAMS] [-d DELAY_MS] [-t N] [-g N]\n");
    return 2;
  }
  for (int option; (option = getopt(count - 2, words + 2, "m:d:t:g:")) > 0;) {
    int value = atoi(optarg);
    switch (option) {
    case 'm': streams = value; break;
    case 'd': delay_ms = value; break;
    case 't': throttle_every = value; break;
    case 'g': goaway_every = value; break;
    default: return 2;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, stop);
  signal(SIGALRM, stop);
  alarm(600);
  prepare(words[1], words[2]);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  if (bind(listener, (void *)&place, size) || listen(listener, 1024)) die("listen");
  getsockname(listener, (void *)&place, &size);
  printf("%d\n", ntohs(place.sin_port));
  fflush(stdout);
  loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event first = {.events = EPOLLIN};
  epoll_ctl(loop, EPOLL_CTL_ADD, listener, &first);
  while (!over) {
    struct epoll_event ready[256];
    int wait = -1;
    if (head != tail) {
      uint64_t now = now_us(), due = queue[head & (room - 1)].due;
      wait = due <= now ? 0 : (int)((due - now + 999) / 1000);
    }
    int found = epoll_wait(loop, ready, 256, wait);
    for (int i = 0; i < found; i++) {
      struct peer *peer = ready[i].data.ptr;
      if (!peer) accept_all(listener);
      else if (!serve(peer)) bury(peer);
    }
    answer_due();
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  fprintf(stderr, "sink: %lu answered, %lu throttled, %lu connections, %lu resets, %.2f us each\n", answered, throttled,
          connections, resets, answered ? seconds * 1e6 / (double)answered : 0);
  return 0;
}
