import '../examples/demo/demo.mjs';
