// The door to OpenSSL. Macros that Swift's importer cannot see stand here as inline functions.
#pragma once
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline long door_SSL_set_host_name(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
static inline long door_SSL_CTX_set_min_version(SSL_CTX *context, int version) { return SSL_CTX_set_min_proto_version(context, version); }
static inline long door_SSL_CTX_set_max_version(SSL_CTX *context, int version) { return SSL_CTX_set_max_proto_version(context, version); }
static inline long door_SSL_CTX_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline long door_SSL_CTX_set_cache_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_session_cache_mode(context, mode); }
static inline long door_SSL_CTX_add_chain(SSL_CTX *context, X509 *certificate) { return SSL_CTX_add1_chain_cert(context, certificate); }
static inline int door_ERR_lib(unsigned long code) { return ERR_GET_LIB(code); }
static inline int door_ERR_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline EVP_PKEY *door_P256_generate(void) { return EVP_EC_gen("P-256"); }
static inline long door_BIO_memory(BIO *bio, char **start) { return BIO_get_mem_data(bio, start); }
static inline int door_X509_NAME_print(BIO *out, const X509_NAME *name) { return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB); }
static inline int door_PEM_write_key(BIO *out, EVP_PKEY *key) { return PEM_write_bio_PKCS8PrivateKey(out, key, NULL, NULL, 0, NULL, NULL); }
static inline int door_BIO_retry_flags(void) { return BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY; }
static inline uint64_t door_SSL_options(void) { return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION; }
static inline uint64_t door_SSL_no_ticket(void) { return SSL_OP_NO_TICKET; }
static inline STACK_OF(PKCS12_SAFEBAG) *door_PKCS12_open(void *part, const char *passphrase) {
  PKCS7 *content = (PKCS7 *)part;
  if (PKCS7_type_is_data(content)) return PKCS12_unpack_p7data(content);
  if (PKCS7_type_is_encrypted(content)) return PKCS12_unpack_p7encdata(content, passphrase, -1);
  return NULL;
}
static inline void door_free_parts(STACK_OF(PKCS7) *parts) { sk_PKCS7_pop_free(parts, PKCS7_free); }
static inline void door_free_bags(STACK_OF(PKCS12_SAFEBAG) *bags) { sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free); }
static inline X509 *door_STORE_certificate(void *object) { return X509_OBJECT_get0_X509((X509_OBJECT *)object); }
