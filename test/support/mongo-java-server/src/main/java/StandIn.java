import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.OutputStream;
import java.util.List;

/**
 * mongo-java-server as a MongoDB stand-in for specs, all in memory: java -jar mongo-java-server.jar [port].
 *
 * It says its URL on standard output, and ends when standard input does, so that it never outlives the process that has
 * started it.
 */
public final class StandIn {
  private StandIn() {}

  /** What it is, with the wire version that a MongoDB 5.0 announces: the driver refuses the one it says by itself. */
  private static final class Version implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  }

  public static void main(String[] arguments) throws Exception {
    int port = arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]);
    MongoServer server = new MongoServer(new MemoryBackend().version(new Version()));
    // Change streams read it.
    server.enableOplog();
    server.bind("127.0.0.1", port);
    System.out.println("mongodb://127.0.0.1:" + server.getLocalAddress().getPort() + "/");
    System.in.transferTo(OutputStream.nullOutputStream());
    server.shutdownNow();
  }
}
