// Which node types of older workflows servers of 2026 replace by which others, with their inputs and outputs.

import { any, count, list, nullable, object, optional, partial, record, text } from '../schema.ts'

/** The new name of an input: that of an older one, or of a value. */
type InputMapping =
  | { readonly new_id: string; readonly old_id: string }
  | { readonly new_id: string; readonly set_value: string }

export type Replacement = {
  readonly new_node_id: string
  readonly old_node_id: string
  readonly old_widget_ids: readonly string[] | null
  readonly input_mapping: readonly InputMapping[] | null
  readonly output_mapping: readonly { readonly new_idx: number; readonly old_idx: number }[] | null
}

const texts = nullable(list(text))
const index = count

export const replacement = object({
  new_node_id: text,
  old_node_id: text,
  old_widget_ids: texts,
  input_mapping: nullable(
    list(object({ new_id: text, old_id: optional(text), set_value: optional(any) })),
  ),
  output_mapping: nullable(list(partial({ new_idx: index, old_idx: index }))),
})

/** Replacements by the node type that they replace. A submit uses the first. */
export const replacementsByType = record(list(replacement))

/** A replacement with its members in their order on the wire; those that it does not name are null. */
const replacing = (
  old_node_id: string,
  new_node_id: string,
  { old_widget_ids = null, input_mapping = null, output_mapping = null }: Mappings = {},
): Replacement => ({ new_node_id, old_node_id, old_widget_ids, input_mapping, output_mapping })

type Mappings = Partial<Omit<Replacement, 'new_node_id' | 'old_node_id'>>

/** The replacements of a server without node packs. */
export const replacements: readonly Replacement[] = [
  replacing('ResizeImagesByLongerEdge', 'ImageScaleToMaxDimension', {
    old_widget_ids: ['longer_edge'],
    input_mapping: [
      { new_id: 'image', old_id: 'images' },
      { new_id: 'largest_size', old_id: 'longer_edge' },
      { new_id: 'upscale_method', set_value: 'lanczos' },
    ],
    output_mapping: [{ new_idx: 0, old_idx: 0 }],
  }),
  replacing('ImageBatch', 'BatchImagesNode', {
    input_mapping: [
      { new_id: 'images.image0', old_id: 'image1' },
      { new_id: 'images.image1', old_id: 'image2' },
    ],
  }),
  replacing('ImageScaleBy', 'ResizeImageMaskNode', {
    old_widget_ids: ['upscale_method', 'scale_by'],
    input_mapping: [
      { new_id: 'input', old_id: 'image' },
      { new_id: 'resize_type', set_value: 'scale by multiplier' },
      { new_id: 'resize_type.multiplier', old_id: 'scale_by' },
      { new_id: 'scale_method', old_id: 'upscale_method' },
    ],
  }),
  replacing('T2IAdapterLoader', 'ControlNetLoader', {
    input_mapping: [{ new_id: 'control_net_name', old_id: 't2i_adapter_name' }],
  }),
  replacing('Load3DAnimation', 'Load3D'),
  replacing('Preview3DAnimation', 'Preview3D'),
  replacing('SDV_img2vid_Conditioning', 'SVD_img2vid_Conditioning'),
  replacing('ConditioningAverage ', 'ConditioningAverage'),
]
