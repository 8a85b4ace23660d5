import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** Iceberg's own REST catalog, in memory and on loopback: its RESTCatalogServer listens on every address. */
public final class IcebergServer {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings =
        Map.of("catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog", "warehouse", arguments[1]);
    Catalog catalog = CatalogUtil.buildIcebergCatalog("lab", settings, null);
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    Server server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    server.setHandler(context);
    server.start();
    server.join();
  }
}
