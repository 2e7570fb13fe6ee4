import "./tokens.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./data/client.ts";
import { loadAllParts } from "./data/parts.ts";
import { isShared } from "./data/shared-link.ts";
import { router } from "./routes.tsx";

/** What the first page asks for comes before the rest of the console. */
const settleMs = 3_000;

if (!isShared) addEventListener("load", () => setTimeout(() => void loadAllParts(), settleMs));

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
