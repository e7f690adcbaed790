# Runs the worker on workerd: worlds are in the folder that `-d worlds=DIR` names, and FLOWDOUBLE_CONTROL_TOKEN creates them.
# FLOWDOUBLE_OPTIONS has the options of all worlds as JSON, such as {"deployment": "hosted"}.
#
#   npx workerd serve config.capnp -d worlds=DIR -s http=127.0.0.1:8188

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .main), (name = "worlds", disk = (writable = true)) ],
  sockets = [ (name = "http", address = "127.0.0.1:8188", http = (), service = "main") ]
);

const main :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [ (className = "World", uniqueKey = "flowdouble-world", enableSql = true) ],
  durableObjectStorage = (localDisk = "worlds"),
  bindings = [
    (name = "WORLDS", durableObjectNamespace = "World"),
    (name = "TOKEN", fromEnvironment = "FLOWDOUBLE_CONTROL_TOKEN"),
    (name = "OPTIONS", fromEnvironment = "FLOWDOUBLE_OPTIONS")
  ]
);
