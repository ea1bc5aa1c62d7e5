// As java-apns does it: the JDK's TLS with a PKCS #12 archive, a flush for each notification, a blocking read.
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.net.Socket;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.HexFormat;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class GatewayClient {
  private static SSLContext context;

  private static Socket connect(String variable) throws Exception {
    String[] place = System.getenv(variable).split(":");
    return context.getSocketFactory().createSocket(place[0], Integer.parseInt(place[1]));
  }

  private static void check(boolean holds, String words) {
    if (!holds) throw new IllegalStateException(words);
  }

  public static void main(String[] arguments) throws Exception {
    char[] passphrase = "apns".toCharArray();
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(new FileInputStream(arguments[0]), passphrase);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
    keys.init(own, passphrase);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509")
        .generateCertificate(new FileInputStream(System.getenv("APNS_CA_FILE"))));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);

    byte[] payload = "{\"aps\":{\"alert\":\"Hi\"}}".getBytes();
    Socket gateway = connect("APNS_BINARY_ENDPOINT");
    for (int identifier = 1; identifier <= 3; identifier++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(1);
      out.writeInt(identifier);
      out.writeInt((int) (System.currentTimeMillis() / 1000) + 3600);
      out.writeShort(32);
      out.write(HexFormat.of().parseHex(identifier == 3 ? "dead4000" + "0".repeat(56) : "ab".repeat(32)));
      out.writeShort(payload.length);
      out.write(payload);
      gateway.getOutputStream().write(bytes.toByteArray());
      gateway.getOutputStream().flush();
    }
    byte[] packet = gateway.getInputStream().readAllBytes();
    check(Arrays.equals(packet, new byte[] {8, 8, 0, 0, 0, 3}), "another error packet");
    byte[] told = connect("APNS_FEEDBACK_ENDPOINT").getInputStream().readAllBytes();
    check(told.length == 3 * 38, told.length + " bytes of feedback");
  }
}
